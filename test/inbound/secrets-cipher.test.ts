import { randomBytes } from 'node:crypto';
import {
  SecretsCipher,
  SecretsKeyMissingError,
  UnreadableSecretError,
} from '../../src/secrets/secrets-cipher.js';

const KEY = randomBytes(32);
const SOURCE = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';
const OTHER_SOURCE = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d12';

describe('the secrets cipher', () => {
  const cipher = new SecretsCipher(KEY.toString('hex'));
  const encrypted = cipher.encrypt(SOURCE, 'password', 'geheim ✓');

  it('decrypts what it encrypted, with the key in hex or in base64', () => {
    for (const key of [KEY.toString('hex'), KEY.toString('base64')]) {
      expect(new SecretsCipher(key).decrypt(SOURCE, 'password', encrypted)).toBe('geheim ✓');
    }
  });

  it('encrypts the same secret differently each time, and reveals nothing of it', () => {
    expect(cipher.encrypt(SOURCE, 'password', 'geheim ✓')).not.toBe(encrypted);
    expect(Buffer.from(encrypted, 'base64').toString('latin1')).not.toContain('geheim');
  });

  it('refuses a ciphertext that was changed in any byte', () => {
    const octets = Buffer.from(encrypted, 'base64');
    for (let index = 0; index < octets.length; index++) {
      const changed = Buffer.from(octets);
      changed[index]! ^= 1;
      expect(() => cipher.decrypt(SOURCE, 'password', changed.toString('base64'))).toThrow(
        UnreadableSecretError,
      );
    }
  });

  it.each(['', 'AAAA', encrypted.slice(0, -4)])('refuses a ciphertext that is too short: %j', (short) => {
    expect(() => cipher.decrypt(SOURCE, 'password', short)).toThrow(UnreadableSecretError);
  });

  it('refuses the secret of another source, or of another name', () => {
    expect(() => cipher.decrypt(OTHER_SOURCE, 'password', encrypted)).toThrow(UnreadableSecretError);
    expect(() => cipher.decrypt(SOURCE, 'username', encrypted)).toThrow(UnreadableSecretError);
  });

  it('reports that the key is a different one', () => {
    const other = new SecretsCipher(randomBytes(32).toString('hex'));
    expect(() => other.decrypt(SOURCE, 'password', encrypted)).toThrow(/it was encrypted with another key/);
  });

  it('requires a key', () => {
    expect(() => new SecretsCipher(undefined).encrypt(SOURCE, 'password', 'x')).toThrow(
      SecretsKeyMissingError,
    );
  });
});
