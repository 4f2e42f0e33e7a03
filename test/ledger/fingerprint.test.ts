import { receivingGroup } from '../../src/email-address/receiving-group.js';
import { fingerprint, longestPhrase } from '../../src/ledger/fingerprint.js';
import { cpuTimesOf } from '../support/cpu-time.js';

const GMAIL =
  '550-5.1.1 The email account that you tried to reach does not exist. Please try\n' +
  "550-5.1.1 double-checking the recipient's email address for typos or\n" +
  '550-5.1.1 unnecessary spaces. For more information, go to\n' +
  '550 5.1.1  https://support.google.com/mail/?p=NoSuchUser d9443c01a7336-20f0b5a1e8csi712.90 - gsmtp';

describe('the fingerprint of a diagnostic', () => {
  it('is the same for two addresses, hosts, ids and numbers', () => {
    const other = GMAIL.replace('d9443c01a7336-20f0b5a1e8csi712.90', 'a12si98765wrx.4').replaceAll(
      '5.1.1',
      '5.1.2',
    );
    expect(fingerprint(GMAIL)).toBe(fingerprint(other));
    expect(fingerprint('550 5.1.1 <ada@acme.example>: user lookup success but no user record found')).toBe(
      'user lookup success but no user record found',
    );
    expect(fingerprint('550 mx1.acme.example: no mailbox jsmith here', 'jsmith@acme.example')).toBe(
      'no mailbox … here',
    );
    expect(
      fingerprint(
        "554 delivery error: dd This user doesn't have a yahoo.com account (ada@yahoo.com) [0] - mta4",
      ),
    ).toBe("delivery error: dd This user doesn't have a … account … -");
  });

  it.each([
    ['550 5.1.1 <ada@example.com>: Recipient address rejected: aol.com', 'Recipient address rejected:'],
    [
      '550 5.4.1 Recipient address rejected: Access denied. [BN8NAM12FT012.eop-nam12.prod.protection.outlook.com 2024-01-15T09:30:00.000Z 08DBF3E7A1B2]',
      'Recipient address rejected: Access denied.',
    ],
    ['550 5.1.1 unknown user "john.doe"', 'unknown user'],
    ['smtp; 550 5.1.1 [192.0.2.7] User unknown, e.g. a typo', 'smtp; … User unknown, e.g. a typo'],
    ['550 Пользователь не найден', 'Пользователь не найден'],
    ['550 5.1.1', ''],
  ])('of %s is %s', (diagnostic, expected) => {
    expect(fingerprint(diagnostic)).toBe(expected);
  });

  it('is limited, and of long punctuation ends soon', () => {
    expect(fingerprint('no such user '.repeat(100)).length).toBeLessThanOrEqual(500);
    expect(fingerprint(`a${'-'.repeat(2_000)}1 b${'.'.repeat(2_000)}`, 'b@example.com')).toBe('');
  });

  it('of gaps or of dots in a word ends as soon as of any other', async () => {
    for (const repeated of ['…', '.', 'a.']) {
      const { long, short } = await cpuTimesOf(
        () => Array.from({ length: 50 }, () => fingerprint(`a${repeated.repeat(999)}_`, 'b@example.com')),
        () => Array.from({ length: 50 }, () => fingerprint('a'.repeat(2_000), 'b@example.com')),
        50,
      );
      expect(long).toBeLessThan(short * 50);
    }
  });

  it('keeps the words that tell kinds of answers apart', () => {
    expect(fingerprint(GMAIL)).toContain('NoSuchUser');
    expect(fingerprint(GMAIL)).toMatch(/gsmtp$/);
    expect(fingerprint('550 5.1.1 User unknown')).not.toBe(fingerprint('550 5.1.1 Mailbox disabled'));
  });

  it('has no part of an address', () => {
    const names = [
      '<ada.lovelace@acme.example>',
      "'lovelace'",
      '"lovelace"',
      '(lovelace)',
      '<lovelace>:',
      'Lovelace...',
    ];
    for (const name of names) {
      expect(fingerprint(`550 no ${name} here`, 'lovelace@acme.example').toLowerCase()).toBe('no … here');
    }
  });

  it('has a longest phrase that every answer contains', () => {
    const phrase = longestPhrase(fingerprint(GMAIL));
    expect(phrase).toBe('The email account that you tried to reach does not exist. Please try');
    expect(GMAIL).toContain(phrase);
    expect(longestPhrase(fingerprint('550 5.1.1'))).toBe('');
  });
});

describe('the receiving group of a domain', () => {
  it.each([
    ['googlemail.com', 'gmail.com'],
    ['aol.com', 'yahoo.com'],
    ['yahoo.co.uk', 'yahoo.com'],
    ['yahoo.com.br', 'yahoo.com'],
    ['hotmail.fr', 'outlook.com'],
    ['me.com', 'icloud.com'],
    ['acme.example', 'acme.example'],
    ['me.fr', 'me.fr'],
  ])('of %s is %s', (domain, group) => {
    expect(receivingGroup(domain)).toBe(group);
  });
});
