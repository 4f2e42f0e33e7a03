import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { BadSignatureError } from './errors.js';
import type { SourceSettings } from './provider.js';

/** Tolerated clock skew. */
const MAX_FUTURE_SECONDS = 300;
/** Exactly ten digits (2001 to 2286), so that no digit can move between a timestamp and the text signed after it. */
const EPOCH_SECONDS = /^\d{10}$/;

/** Compares in constant time, whatever the lengths. */
export function equalInConstantTime(a: string | Buffer, b: string | Buffer): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/**
 * Ignores white space around a secret, which was probably pasted by mistake.
 *
 * @throws {BadSignatureError} if the source has no such secret
 */
export function secretOf({ secrets }: SourceSettings, name: string): string {
  const secret = Object.hasOwn(secrets, name) ? secrets[name]?.trim() : undefined;
  if (!secret) {
    throw new BadSignatureError(`the source has no ${name}`);
  }
  return secret;
}

/** A header that was sent once. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Seconds since 1970, from ten digits.
 *
 * @throws {BadSignatureError} when it is anything else
 */
export function epochSeconds(text: string | undefined): number {
  if (text === undefined || !EPOCH_SECONDS.test(text)) {
    throw new BadSignatureError('it has no valid timestamp');
  }
  return Number(text);
}

/** @throws {BadSignatureError} when it was signed longer ago than `maxAgeSeconds`, or in the future */
export function requireFresh(signedAtSeconds: number, receivedAt: Date, maxAgeSeconds: number): void {
  const age = receivedAt.getTime() / 1000 - signedAtSeconds;
  if (!(age <= maxAgeSeconds && age >= -MAX_FUTURE_SECONDS)) {
    throw new BadSignatureError(age < 0 ? 'it is dated in the future' : 'it is too old');
  }
}

function digest(value: string | Buffer): Buffer {
  return createHash('sha256').update(value).digest();
}
