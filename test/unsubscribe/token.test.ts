import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { keyIdOf, openToken, sealToken, type LinkTarget } from '../../src/unsubscribe-links/token.js';

/** The test vector of docs/unsubscribe.md. */
const KEY = {
  accountId: 1,
  id: 305419896,
  bytes: Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex'),
};
const IV = Buffer.from('a0a1a2a3a4a5a6a7a8a9aaab', 'hex');
const TARGET: LinkTarget = {
  email: 'ada@example.com' as EmailAddress,
  topicId: '0198a5f3-2b41-7a6e-8c15-7d9e0f1a2b3c',
  emailId: '8f3c6f1e-2d4b-4c7a-9a10-5b6c7d8e9f00',
};

describe('a token', () => {
  it('equals the test vector of the specification', async () => {
    const specification = await readFile(new URL('../../docs/unsubscribe.md', import.meta.url), 'utf8');
    const token = sealToken(KEY, TARGET, IV);
    expect(specification).toContain(`\n    ${token}\n`);
    expect(specification).toContain(KEY.bytes.toString('hex'));
  });

  it('names its key, and reveals the target of the link to whoever has the key', () => {
    for (const target of [TARGET, { ...TARGET, topicId: null, emailId: null }]) {
      const token = sealToken(KEY, target);
      expect(keyIdOf(token)).toBe(KEY.id);
      expect(openToken(KEY, token)).toEqual(target);
    }
  });

  it('reveals nothing of the address, and is different each time', () => {
    const [one, other] = [sealToken(KEY, TARGET), sealToken(KEY, TARGET)];
    expect(one).not.toBe(other);
    expect(Buffer.from(one, 'base64url').toString('latin1')).not.toMatch(/ada|example/);
  });

  it('of another key, or changed in any byte, is refused', () => {
    const token = sealToken(KEY, TARGET);
    expect(openToken({ ...KEY, bytes: randomBytes(32) }, token)).toBeUndefined();
    const bytes = Buffer.from(token, 'base64url');
    for (let index = 1; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed[index]! ^= 1;
      expect(openToken(KEY, changed.toString('base64url'))).toBeUndefined();
    }
  });

  it.each([
    ['empty', ''],
    ['short', 'AQAAAAE'],
    ['of another version', `Ag${'A'.repeat(120)}`],
    ['no base64url', `AQ${'A'.repeat(100)}+/`],
    ['padded', `${Buffer.alloc(80, 1).toString('base64')}`],
    ['very long', `AQ${'A'.repeat(5_000)}`],
  ])('that is %s names no key', (_problem, token) => {
    expect(keyIdOf(token)).toBeUndefined();
  });

  it('whose address is invalid is refused', () => {
    const target = { ...TARGET, email: 'nobody' as EmailAddress };
    expect(openToken(KEY, sealToken(KEY, target))).toBeUndefined();
  });
});
