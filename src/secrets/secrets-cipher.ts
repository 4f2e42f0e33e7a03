import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretsKeyMissingError, UnreadableSecretError } from './errors.js';

const ALGORITHM = 'aes-256-gcm';
/** NIST SP 800-38D, section 8.2.2: 96 random bits. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEX = /^[0-9a-f]{64}$/i;

/**
 * Encrypts the secrets of sources. A ciphertext is bound to its source and to the name of the secret, so it cannot be
 * decrypted in another row or under another name.
 */
@Injectable()
export class SecretsCipher {
  private readonly key: Buffer | undefined;

  /** @param key - the setting SECRETS_KEY */
  constructor(key: string | undefined) {
    this.key = key === undefined ? undefined : Buffer.from(key, HEX.test(key) ? 'hex' : 'base64');
  }

  /**
   * @returns IV, ciphertext and tag, in base64
   * @throws {SecretsKeyMissingError}
   */
  encrypt(sourceId: string, name: string, secret: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.requireKey(), iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(additionalData(sourceId, name));
    return Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
      'base64',
    );
  }

  /**
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError} when it was encrypted with another key, for another source or name, or was changed
   */
  decrypt(sourceId: string, name: string, encrypted: string): string {
    const key = this.requireKey();
    const bytes = Buffer.from(encrypted, 'base64');
    const iv = bytes.subarray(0, IV_BYTES);
    const text = bytes.subarray(IV_BYTES, -TAG_BYTES);
    try {
      const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(additionalData(sourceId, name));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    } catch {
      throw new UnreadableSecretError(sourceId, name);
    }
  }

  private requireKey(): Buffer {
    if (!this.key) {
      throw new SecretsKeyMissingError();
    }
    return this.key;
  }
}

function additionalData(sourceId: string, name: string): Buffer {
  return Buffer.from(`${sourceId} ${name}`);
}
