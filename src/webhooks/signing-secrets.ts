import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { OperatorError } from '../process/operator-error.js';
import { SecretsCipher, SecretsKeyMissingError, UnreadableSecretError } from '../secrets/secrets-cipher.js';
import { NoSecretsKeyError, UnreadableSigningSecretError } from './errors.js';
import type { StoredSigningSecret } from './webhook.entity.js';

/** Standard Webhooks 1.0.0: 24 to 64 random bytes. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';
const NAME = 'signing secret';
const ROTATION_MS = 24 * 3_600_000;
/** One header holds the signatures of all secrets. */
const MAX_SECRETS = 5;

/** The secrets that sign the events of a webhook: the current one and, for 24 hours, those that it replaced. */
@Injectable()
export class SigningSecrets {
  constructor(private readonly cipher: SecretsCipher) {}

  /** @throws {NoSecretsKeyError} */
  generate(webhookId: string): StoredSigningSecret {
    const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64');
    try {
      return { encrypted: this.cipher.encrypt(webhookId, NAME, secret), signs_until: null };
    } catch (error) {
      throw error instanceof SecretsKeyMissingError ? new NoSecretsKeyError() : error;
    }
  }

  /** @throws {NoSecretsKeyError} */
  rotate(webhookId: string, stored: StoredSigningSecret[], now: Date): StoredSigningSecret[] {
    const until = new Date(now.getTime() + ROTATION_MS).toISOString();
    const replaced = stored
      .filter((secret) => signsAt(secret, now))
      .map((secret) => ({ ...secret, signs_until: secret.signs_until ?? until }));
    return [this.generate(webhookId), ...replaced].slice(0, MAX_SECRETS);
  }

  /**
   * Decrypts the current secret for a caller.
   *
   * @throws {UnreadableSigningSecretError}
   */
  reveal(webhookId: string, stored: StoredSigningSecret[]): string {
    try {
      return this.current(webhookId, stored);
    } catch (error) {
      throw error instanceof OperatorError ? new UnreadableSigningSecretError() : error;
    }
  }

  /** @throws {UnreadableSecretError} */
  current(webhookId: string, stored: StoredSigningSecret[]): string {
    return this.cipher.decrypt(webhookId, NAME, stored[0]!.encrypted);
  }

  /**
   * Skips a replaced secret that cannot be read. So if the key was lost, a rotation makes the webhook work again.
   *
   * @throws {UnreadableSecretError} when the current secret cannot be read
   */
  decryptAll(webhookId: string, stored: StoredSigningSecret[]): SigningSecret[] {
    const current = { secret: this.current(webhookId, stored), signsUntil: Infinity };
    const replaced = stored.slice(1).map(({ encrypted, signs_until }) => ({
      secret: this.decryptIfReadable(webhookId, encrypted),
      signsUntil: Date.parse(signs_until!),
    }));
    return [current, ...replaced.filter((entry): entry is SigningSecret => entry.secret !== undefined)];
  }

  /**
   * Encrypts with the current key the secrets that only the previous key can decrypt. Drops a replaced secret that neither can
   * read. Returns null if there is nothing to do.
   *
   * @throws {UnreadableSecretError} when the current secret cannot be read
   */
  reencrypt(webhookId: string, stored: StoredSigningSecret[]): StoredSigningSecret[] | null {
    if (stored.every(({ encrypted }) => this.cipher.isCurrent(webhookId, NAME, encrypted))) {
      return null;
    }
    this.current(webhookId, stored);
    return stored.flatMap((entry) => {
      const secret = this.decryptIfReadable(webhookId, entry.encrypted);
      return secret === undefined
        ? []
        : { ...entry, encrypted: this.cipher.encrypt(webhookId, NAME, secret) };
    });
  }

  private decryptIfReadable(webhookId: string, encrypted: string): string | undefined {
    try {
      return this.cipher.decrypt(webhookId, NAME, encrypted);
    } catch (error) {
      if (error instanceof UnreadableSecretError) {
        return undefined;
      }
      throw error;
    }
  }
}

export interface SigningSecret {
  secret: string;
  /** Milliseconds since 1970. */
  signsUntil: number;
}

function signsAt({ signs_until }: StoredSigningSecret, now: Date): boolean {
  return signs_until === null || Date.parse(signs_until) > now.getTime();
}

/**
 * The headers of Standard Webhooks 1.0.0, and the same values under the names that Resend's documentation uses.
 *
 * @param now - the time of the attempt
 */
export function signatureHeaders(
  id: string,
  body: string,
  secrets: SigningSecret[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signature = secrets
    .filter(({ signsUntil }) => signsUntil > now.getTime())
    .map(({ secret }) => new Webhook(secret).sign(id, now, body))
    .join(' ');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    'svix-id': id,
    'svix-timestamp': timestamp,
    'svix-signature': signature,
  };
}
