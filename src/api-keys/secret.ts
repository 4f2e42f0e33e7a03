import { createHash, randomBytes } from 'node:crypto';

const MARK = 'sup_';
const RANDOM_OCTETS = 24;
const PREFIX_LENGTH = MARK.length + 8;
const SECRET = new RegExp(`^${MARK}[0-9a-f]{${2 * RANDOM_OCTETS}}$`);

/** A new secret: a mark that secret scanners can look for, and 192 random bits. */
export function createSecret(): string {
  return MARK + randomBytes(RANDOM_OCTETS).toString('hex');
}

/** Whether it has the form of our secrets: what has not needs no question to the database. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** The part of a secret that may be shown. */
export function prefixOf(secret: string): string {
  return secret.slice(0, PREFIX_LENGTH);
}

/** What is stored of a secret. It has 192 random bits, so it needs no slow hash. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
