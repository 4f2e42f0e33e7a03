import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** A secret of 256 bits, for a link or a cookie. */
export function createToken(): string {
  return randomBytes(BYTES).toString('base64url');
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The stored hash of a token. A slow hash is unnecessary for 256 random bits. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
