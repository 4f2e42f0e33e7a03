import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { apiError } from '../../http/errors/api-error.js';
import type { SourceSettings, InboundRequest, Secret, Verified } from './provider.js';

/**
 * The sender, the age, or the topic of a delivery to a source cannot be verified. The service stores only the number of such
 * deliveries.
 *
 * `source show` displays the number and the latest reason. Usually, the secret of the source differs from that of the provider:
 * set the right one with `source secret`.
 */
export class BadSignatureError extends apiError(
  401,
  'invalid_signature',
  (problem: string) => `The delivery cannot be verified: ${problem}.`,
  {
    name: 'security_error',
    // Amazon SNS sends its credentials only after this challenge (RFC 9110, section 15.5.2).
    headers: { 'WWW-Authenticate': 'Basic realm="inbound"' },
    example: ['its signature does not match'],
  },
) {}

/** A legacy webhook of Mailgun, which is not JSON. This status makes Mailgun stop retrying. */
export class LegacyWebhookError extends apiError(
  406,
  'legacy_webhook',
  'This is a legacy webhook. Set up a webhook that sends JSON with "event-data".',
) {}

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

const LONG_ENOUGH = /^[\x21-\x7e]{16,}$/;

/**
 * Checks a secret that a person may choose. It must be long enough to resist guessing, in characters that headers and URLs can
 * carry.
 *
 * @returns the `problemWith` of a secret of this name
 */
export function hardToGuess(name: string): (value: string) => string | undefined {
  return (value) =>
    LONG_ENOUGH.test(value)
      ? undefined
      : `The ${name} must have at least 16 ASCII characters, and no spaces.`;
}

const SCHEME_AND_CREDENTIAL = /^(basic|bearer) +([\x21-\x7e]+)$/i;

/**
 * The user name and password for providers that sign nothing. The service generates both, and a person enters them at the
 * provider.
 */
export const CREDENTIAL: readonly Secret[] = [
  {
    name: 'username',
    description: 'The username in the URL: https://username:password@host/inbound/…',
    generatedBy: 'service',
    problemWith: (value) => (value.includes(':') ? 'A user name must not contain a colon.' : undefined),
  },
  {
    name: 'password',
    description: 'The password in the URL. It is also accepted as a bearer token.',
    generatedBy: 'service',
    problemWith: hardToGuess('password'),
  },
];

/**
 * Basic (RFC 7617) with the source's user name and password, or Bearer (RFC 6750) with its password.
 *
 * @throws {BadSignatureError}
 */
export async function verifyCredential(
  { headers }: InboundRequest,
  source: SourceSettings,
): Promise<Verified> {
  const username = secretOf(source, 'username');
  const password = secretOf(source, 'password');
  const [, scheme, shown] = SCHEME_AND_CREDENTIAL.exec(headerOf(headers, 'authorization') ?? '') ?? [];
  if (!scheme || !shown) {
    throw new BadSignatureError('it has no credential');
  }
  const isBasic = scheme.toLowerCase() === 'basic';
  const given = isBasic ? Buffer.from(shown, 'base64') : shown;
  if (!equalInConstantTime(given, isBasic ? `${username}:${password}` : password)) {
    throw new BadSignatureError('its credential is wrong');
  }
  return {};
}
