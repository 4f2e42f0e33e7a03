import * as fc from 'fast-check';
import { classify } from '../../../src/inbound/policy/classify.js';
import { anyText } from '../../support/any-text.js';

describe('classify', () => {
  it.each([
    ['550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in local recipient table'],
    ['550-5.1.1 The email account that you tried to reach does not 550-5.1.1 exist.'],
    ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'],
    ['554 delivery error: dd This user does not have an example.com account'],
    ['550 No such user here'],
    ['553 5.3.0 <ada@example.com>... Addressee unknown'],
    ['Unrouteable address'],
    ['sorry, no mailbox here by that name. (#5.1.1)'],
    ['450 4.1.1 <ada@example.com>: Recipient address rejected: User unknown'],
    ['550 5.5.0 Requested action not taken: mailbox unavailable'],
    ['User ada (ada@example.com) not listed in Domino Directory'],
    ['550 Unbekannter Empfänger'],
    ['Esta casilla ha expirado por falta de uso.'],
    ['550 Ce compte a été désactivé'],
    ['550 5.2.1 The email account that you tried to reach is disabled.'],
    [
      '554 5.4.4 Host or domain name not found. Name service error for name=gone.example type=AAAA: Host not found',
    ],
    ['550 5.1.2 <ada@gone.example>... Host unknown'],
    [
      '556 5.1.10 <ada@example.com>: Recipient address rejected: Domain example.com does not accept mail (nullMX)',
    ],
    ['550 5.4.1 Recipient address rejected: Access denied'],
    ['Invalid final delivery userid: ada@example.com'],
    ['5.4.4 gone.example: Name or service not known'],
    ["Sorry, I couldn't find a mail exchanger or IP address. (#5.4.4)"],
    ['an MX or SRV record indicated no SMTP service'],
    ['Unrouteable mail domain "gone.example"'],
    ['550 5.1.10 The address was not found. It might be misspelled or it might not exist any longer.'],
    ['no such user here, message 222 of 250 2.0.0'],
  ])('is hard: %s', (diagnostic) => {
    expect(classify({ diagnostic }).bounceType).toBe('hard');
  });

  it.each([
    ['552 5.2.2 The email account that you tried to reach is over quota'],
    ['452 4.2.2 Mailbox full'],
    ['450 4.2.0 <ada@example.com>: Recipient address rejected: Greylisted, see http://postgrey.example'],
    ['450 4.4.3 Name service error for name=example.com type=MX: Host not found, try again'],
    ['connect to mx.example.com[192.0.2.1]:25: Connection timed out'],
    ['554 5.4.7 Delivery time expired'],
    ['554 Transaction timed out'],
    ['550'],
    [''],
  ])('is soft: %s', (diagnostic) => {
    expect(classify({ diagnostic }).bounceType).toBe('soft');
  });

  it.each([
    ['552 5.3.4 Message size exceeds fixed limit'],
    ['550 5.7.1 Message rejected as spam by Content Filtering.'],
    ['550 5.7.26 This mail is unauthenticated, the sender must pass SPF or DKIM'],
    ['554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org'],
    ['550 5.7.1 Unable to relay for ada@example.com'],
    ['554 5.6.0 Invalid MIME structure in email'],
    ['550 5.6.7 illegal header in e-mail'],
    ['554 Malformed header: bad Message-ID in email'],
    ['554 5.6.0 bad characters in the body of the e-mail'],
    ['553 5.1.8 <bounce@sender.example>... Domain of sender address bounce@sender.example does not exist'],
    ['550 5.1.0 <bounce@sender.example> sender rejected'],
    ['550 5.7.25 The IP address sending this message does not have a PTR record'],
    ['421 4.7.0 Too many connections from your IP'],
    ['550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents delivery'],
    ['554 5.4.6 Too many hops'],
    ['550 5.7.1 RESOLVER.RST.AuthRequired; authentication required'],
    ['554 Transaction failed'],
    ['550 5.1.1 max message size exceeded'],
    ['550 5.1.1 this message contains a virus'],
    ['554 5.6.0 Das Format ist unbekannt'],
    ['550 5.1.8 Domain not found'],
    ['553 5.1.7 User unknown'],
    ['550 No such domain (in reply to MAIL FROM command)'],
    [
      'The group you tried to contact may not exist, or you may not have permission to post messages to the group.',
    ],
    [
      "Il se peut que le groupe que vous avez essayé de contacter n'existe pas ou que vous ne soyez pas autorisé à lui envoyer des messages.",
    ],
    ['您嘗試聯絡的群組可能不存在，或者您沒有在此群組張貼留言的權限。'],
    ['Die Gruppe existiert nicht. https://groups.google.com/support/'],
  ])('is a block: %s', (diagnostic) => {
    expect(classify({ diagnostic }).bounceType).toBe('blocked');
  });

  it.each([
    ['5.1.1', 'hard'],
    ['5.1.2', 'hard'],
    ['5.1.3', 'hard'],
    ['5.1.6', 'hard'],
    ['5.1.10', 'hard'],
    ['5.0.0', 'soft'],
    ['5.1.7', 'blocked'],
    ['5.1.8', 'blocked'],
    ['5.2.1', 'soft'],
    ['5.2.2', 'soft'],
    ['5.3.4', 'blocked'],
    ['5.4.4', 'soft'],
    ['5.7.1', 'blocked'],
    ['4.1.1', 'soft'],
    ['4.4.7', 'soft'],
    ['2.1.5', 'other'],
  ])('classifies the code %s alone as %s', (status, bounceType) => {
    expect(classify({ status }).bounceType).toBe(bounceType);
  });

  it('derives the effect from the type', () => {
    const effects = ['5.1.1', '5.2.2', '5.7.1', '2.1.5'].map((status) => classify({ status }).effect);
    expect(effects).toEqual(['suppress', 'watch', 'none', 'none']);
  });

  it('prefers words to codes', () => {
    expect(classify({ status: '5.1.1', diagnostic: 'smtp; 550 mailbox full' }).bounceType).toBe('soft');
    expect(classify({ status: '5.7.1', diagnostic: 'smtp; 550 user unknown' }).bounceType).toBe('hard');
  });

  it.each([
    ['This message was checked for viruses.'],
    ['No virus found in this message.'],
    ['Virus-free. www.antivirus.example'],
    ['Protected by our virus scanner.'],
  ])('does not take a scanner for a block: %s', (diagnostic) => {
    expect(classify({ status: '5.1.1', diagnostic }).bounceType).toBe('hard');
  });

  it('ignores the words in addresses and links', () => {
    const diagnostic = '550 5.1.1 <spam-full-quota@example.com> see https://help.example/blocked?policy';
    expect(classify({ diagnostic })).toMatchObject({
      bounceType: 'hard',
      reason: 'the mailbox does not exist',
    });
  });

  it('gives a reason for everything', () => {
    fc.assert(
      fc.property(fc.option(fc.string()), fc.option(anyText()), (status, diagnostic) => {
        const { bounceType, reason } = classify({ status, diagnostic });
        expect(['hard', 'soft', 'blocked', 'other']).toContain(bounceType);
        expect(reason).toMatch(/^the /);
      }),
    );
  });
});

describe('a number in a diagnostic', () => {
  it.each([
    ['5.0.0', '550 Rejected [94.5.1.1]', 'soft'],
    ['5.0.0', '550 5.1.1 Rejected', 'hard'],
    [null, '550 User unknown (host mx[10.2.3.4])', 'hard'],
    ['4.1.2', '450 4.1.2 Recipient address rejected: Domain not found', 'soft'],
    [null, '451 4.4.1 recipient domain not found', 'soft'],
    [null, '421 4.4.5 Server busy, no user slots', 'soft'],
    ['5.1.1', 'gave up after 222 seconds', 'soft'],
    ['5.1.1', '550 5.1.8 Domain not found', 'blocked'],
    [null, '222 lines, 2.5.1', 'soft'],
    [null, '250 2.1.5 ok', 'other'],
  ])('%s %j is read correctly: %s', (status, diagnostic, bounceType) => {
    expect(classify({ status, diagnostic }).bounceType).toBe(bounceType);
  });
});
