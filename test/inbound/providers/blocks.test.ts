import type { Mapping } from '../../../src/inbound/policy/mapping.js';
import { byDiagnostic, hardUnlessBlocked, softByDiagnostic } from '../../../src/inbound/policy/mapping.js';

const permanent = hardUnlessBlocked('The provider calls it permanent.');

describe('a bounce that a provider calls permanent', () => {
  it.each<[string, string]>([
    ['550 5.7.1 Message rejected as spam', 'none'],
    ['550 5.7.26 Unauthenticated email is not accepted due to DMARC policy', 'none'],
    ['552 5.2.2 The mailbox is full', 'watch'],
    ['554 Your IP address is listed at a blocklist', 'none'],
    ['550 5.1.1 no such user', 'suppress'],
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
});
