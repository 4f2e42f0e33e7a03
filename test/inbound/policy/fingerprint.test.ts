import { fingerprintOf } from '../../../src/inbound/policy/fingerprint.js';

describe('the fingerprint of a diagnostic', () => {
  it.each([
    [
      "550-5.1.1 The email account that you tried to reach does not exist. Please try 550-5.1.1 double-checking the recipient's " +
        'email address for typos. For more information, go to 550 5.1.1 https://support.google.com/mail/?p=NoSuchUser ' +
        '6a1803df08f44-6d98c2 - gsmtp',
      "The email account that you tried to reach does not exist Please try double-checking the recipient's email address for " +
        'typos For more information go to mail p NoSuchUser gsmtp',
    ],
    ['550 5.1.1 <ada@example.com>: Recipient address rejected: aol.com', 'Recipient address rejected'],
    [
      "554 delivery error: dd This user doesn't have a yahoo.com account (grace@yahoo.com) [0] - mta4221.mail.ne1.yahoo.com",
      "delivery error dd This user doesn't have a account",
    ],
    [
      '550 5.4.1 Recipient address rejected: Access denied. [BN8NAM12FT012.eop-nam12.prod.protection.outlook.com 2024-01-15T09:30:00.000Z 08DBF3E7A1B2]',
      'Recipient address rejected Access denied',
    ],
    ['550 5.1.1 unknown user "john.doe"', 'unknown user'],
    ['smtp; 550 5.1.1 [192.0.2.7] User unknown', 'smtp User unknown'],
    ['550 Пользователь не найден', 'Пользователь не найден'],
    ['550 5.1.1', ''],
  ])('of %s is %s', (diagnostic, fingerprint) => {
    expect(fingerprintOf(diagnostic)).toBe(fingerprint);
  });

  it('is the same for all recipients', () => {
    const of = (address: string) =>
      fingerprintOf(
        `550 5.1.1 <${address}> user lookup success but no user record found; ${address.split('@')[0]}`,
        address,
      );
    expect(of('ada@icloud.com')).toBe(of('lovelace@me.com'));
    expect(of('ada@icloud.com')).toBe('user lookup success but no user record found');
  });

  it('has at most 200 characters', () => {
    expect(fingerprintOf('no such user '.repeat(100)).length).toBeLessThanOrEqual(200);
  });

  it('of long punctuation ends soon', () => {
    expect(fingerprintOf(`a${'-'.repeat(100_000)}1 b${'.'.repeat(100_000)}`)).toBe('b');
  });
});
