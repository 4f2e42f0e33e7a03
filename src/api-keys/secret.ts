import { hash, randomBytes } from 'node:crypto';

const MARK = 'sup_';
const RANDOM_BYTES = 24;
const PREFIX_LENGTH = MARK.length + 8;
const SECRET = new RegExp(`^${MARK}[0-9a-f]{${2 * RANDOM_BYTES}}$`);

/** A new secret: a prefix that secret scanners recognize, and 192 random bits. */
export function createSecret(): string {
  return MARK + randomBytes(RANDOM_BYTES).toString('hex');
}

/** Whether a text has the form of a secret. If not, no lookup is needed. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** The part of a secret that may be displayed. */
export function prefixOf(secret: string): string {
  return secret.slice(0, PREFIX_LENGTH);
}

/** SHA-256 of a secret, in base64. A slow hash is unnecessary for 192 random bits. */
export function hashOf(secret: string): string {
  return hash('sha256', secret, 'base64');
}
