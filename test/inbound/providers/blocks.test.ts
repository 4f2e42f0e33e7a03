import {
  byDiagnostic,
  hardUnlessBlocked,
  softByDiagnostic,
  type Mapping,
} from '../../../src/inbound/policy/mapping.js';

const permanent = hardUnlessBlocked('The provider calls it permanent.');

describe('a bounce that a provider calls permanent', () => {
  it.each<[string, string]>([
    ['550 5.7.1 Message rejected as spam', 'none'],
    ['550 5.7.26 Unauthenticated email is not accepted due to DMARC policy', 'none'],
    ['552 5.2.2 The mailbox is full', 'watch'],
    ['554 Your IP address is listed at a blocklist', 'none'],
    ['550 5.1.1 no such user', 'suppress'],
    ['550 does not accept mail from your network', 'none'],
    ['552 too many messages in the mailbox', 'watch'],
    ['4.4.7 this message has been in the queue too long', 'watch'],
    ['535 user unknown', 'none'],
    ['550 no MX record of your return address', 'none'],
    ['smtp; 550 not found:ada@example.com', 'suppress'],
    ['Amazon SES did not send: it is on the suppression list for your account', 'suppress-if-absent'],
    ['550 something that nobody ever said', 'suppress'],
    ['', 'suppress'],
  ])('%j: %s', (diagnostic, effect) => {
    expect(permanent({ diagnostic }).effect).toBe(effect);
  });
});

describe('what a server said', () => {
  it.each<[string, Mapping]>([
    ['no word', byDiagnostic],
    ['temporary', softByDiagnostic],
  ])('of a block never suppresses, where the provider says %s', (_word, mapping) => {
    expect(mapping({ diagnostic: '550 5.7.1 Message rejected as spam' }).effect).toBe('none');
  });

  it.each(['550 5.1.1 no such user', 'the address is on the suppression list for your account'])(
    'never suppresses where the provider calls it temporary: %s',
    (diagnostic) => {
      expect(softByDiagnostic({ diagnostic }).effect).toBe('watch');
    },
  );
});
