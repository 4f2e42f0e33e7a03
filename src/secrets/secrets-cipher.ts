import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EXIT_CODE, operatorError } from '../process/operator-error.js';

export class SecretsKeyMissingError extends operatorError(
  EXIT_CODE.wrongUsage,
  () => 'SECRETS_KEY is not set, and there are secrets to encrypt. To generate a key: openssl rand -hex 32',
) {}

/** A secret was encrypted with another key, or changed in the database. */
export class UnreadableSecretError extends operatorError(
  EXIT_CODE.failed,
  (owner: string, secret: string) =>
    `The ${secret} of ${owner} cannot be decrypted: it was encrypted with another key than SECRETS_KEY, or than the ` +
    'file secrets-key in DATA_DIR. Restore that key. If it is lost, replace the secret: docs/alerts.md says how.',
) {}

type Secrets = Readonly<Record<string, string>>;

const ALGORITHM = 'aes-256-gcm';
/** NIST SP 800-38D, section 8.2.2: 96 random bits. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEX = /^[0-9a-f]{64}$/i;

/**
 * Encrypts secrets. A ciphertext is bound to its owner, such as a source, and to the name of the secret, so it cannot be
 * decrypted in another row or under another name.
 */
@Injectable()
export class SecretsCipher {
  private readonly key: Buffer | undefined;
  private readonly previousKey: Buffer | undefined;

  /**
   * @param key - the setting SECRETS_KEY
   * @param previousKey - decrypts secrets that were encrypted before the key was changed
   */
  constructor(key: string | undefined, previousKey?: string) {
    this.key = toBytes(key);
    this.previousKey = toBytes(previousKey);
  }

  /**
   * @returns IV, ciphertext and tag, in base64
   * @throws {SecretsKeyMissingError}
   */
  encrypt(ownerId: string, name: string, secret: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.requireKey(), iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(additionalData(ownerId, name));
    return Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
      'base64',
    );
  }

  /**
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError} when it was encrypted with another key, for another owner or name, or was changed
   */
  decrypt(ownerId: string, name: string, encrypted: string): string {
    const secret =
      decryptWith(this.requireKey(), ownerId, name, encrypted) ??
      (this.previousKey && decryptWith(this.previousKey, ownerId, name, encrypted));
    if (secret === undefined) {
      throw new UnreadableSecretError(ownerId, name);
    }
    return secret;
  }

  /** Encrypts several secrets of an owner, by their names. */
  encryptAll(ownerId: string, secrets: Secrets): Record<string, string> {
    return mapValues(secrets, (secret, name) => this.encrypt(ownerId, name, secret));
  }

  decryptAll(ownerId: string, encrypted: Secrets): Record<string, string> {
    return mapValues(encrypted, (text, name) => this.decrypt(ownerId, name, text));
  }

  areCurrent(ownerId: string, encrypted: Secrets): boolean {
    return Object.entries(encrypted).every(([name, text]) => this.isCurrent(ownerId, name, text));
  }

  /** Whether a secret can be read without the previous key. */
  isCurrent(ownerId: string, name: string, encrypted: string): boolean {
    return decryptWith(this.requireKey(), ownerId, name, encrypted) !== undefined;
  }

  /**
   * Keyed hashes of a secret, by which equal secrets are found: with the current key, and then with the previous one.
   *
   * @throws {SecretsKeyMissingError}
   */
  hashesOf(secret: string): string[] {
    const keys = [this.requireKey(), ...(this.previousKey ? [this.previousKey] : [])];
    return keys.map((key) => createHmac('sha256', key).update(secret).digest('hex'));
  }

  private requireKey(): Buffer {
    if (!this.key) {
      throw new SecretsKeyMissingError();
    }
    return this.key;
  }
}

function mapValues(values: Secrets, map: (value: string, name: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));
}

function toBytes(key: string | undefined): Buffer | undefined {
  return key === undefined ? undefined : Buffer.from(key, HEX.test(key) ? 'hex' : 'base64');
}

function decryptWith(key: Buffer, ownerId: string, name: string, encrypted: string): string | undefined {
  const bytes = Buffer.from(encrypted, 'base64');
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(additionalData(ownerId, name));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = bytes.subarray(IV_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function additionalData(ownerId: string, name: string): Buffer {
  return Buffer.from(`${ownerId} ${name}`);
}
