import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretsKeyMissingError, UnreadableSecretError } from './errors.js';

const ALGORITHM = 'aes-256-gcm';
/** NIST SP 800-38D, section 8.2.2: 96 random bits. */
const IV_OCTETS = 12;
const TAG_OCTETS = 16;
const HEX = /^[0-9a-f]{64}$/i;

/**
 * Encrypts the secrets that must be readable again. What is encrypted is bound to its source and its name: moved to
 * another row or another name, it cannot be read.
 */
@Injectable()
export class SecretsCipher {
  private readonly key: Buffer | undefined;

  /** @param key - as the setting SECRETS_KEY has it */
  constructor(key: string | undefined) {
    this.key = key === undefined ? undefined : Buffer.from(key, HEX.test(key) ? 'hex' : 'base64');
  }

  /**
   * @returns IV, ciphertext and tag, in base64
   * @throws {SecretsKeyMissingError}
   */
  encrypt(sourceId: string, name: string, secret: string): string {
    const iv = randomBytes(IV_OCTETS);
    const cipher = createCipheriv(ALGORITHM, this.requireKey(), iv, { authTagLength: TAG_OCTETS });
    cipher.setAAD(place(sourceId, name));
    return Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
      'base64',
    );
  }

  /**
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError} when it was encrypted with another key, for another place, or was changed since
   */
  decrypt(sourceId: string, name: string, encrypted: string): string {
    const key = this.requireKey();
    const octets = Buffer.from(encrypted, 'base64');
    const iv = octets.subarray(0, IV_OCTETS);
    const text = octets.subarray(IV_OCTETS, -TAG_OCTETS);
    try {
      const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_OCTETS });
      decipher.setAAD(place(sourceId, name));
      decipher.setAuthTag(octets.subarray(-TAG_OCTETS));
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

function place(sourceId: string, name: string): Buffer {
  return Buffer.from(`${sourceId} ${name}`);
}
