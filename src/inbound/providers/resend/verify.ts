import { createHmac } from 'node:crypto';
import { BadSignatureError } from '../errors.js';
import { epochSeconds, equalInConstantTime, headerOf, requireFresh, secretOf } from '../proof.js';
import type { InboundRequest, SourceSettings, Verified } from '../provider.js';

/** Each attempt is signed anew, so that the window need not cover the retries. */
const MAX_AGE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';
const SIGNATURE_PREFIX = 'v1,';
/** Dots part the id from what follows: one inside would leave open where it ends. */
const ID = /^[\w-]+$/;
const BASE64 = /^[A-Za-z0-9+/]{24,}={0,2}$/;

/**
 * HMAC-SHA256 over `id.timestamp.body`, several signatures while a secret is rotated:
 * https://resend.com/docs/webhooks/verify-webhooks-requests
 */
export async function verifyResend(request: InboundRequest, source: SourceSettings): Promise<Verified> {
  const { rawBody, headers, receivedAt } = request;
  const id = headerOf(headers, 'svix-id');
  const timestamp = headerOf(headers, 'svix-timestamp');
  const signatures = headerOf(headers, 'svix-signature');
  const secret = secretOf(source, 'signing_secret');
  if (!id || !ID.test(id) || !signatures) {
    throw new BadSignatureError('it has no valid svix-id or no svix-signature');
  }
  // A key that is too short is one that anybody can guess.
  if (problemWithSigningSecret(secret)) {
    throw new BadSignatureError('the signing secret of the source is none');
  }
  requireFresh(epochSeconds(timestamp), receivedAt, MAX_AGE_SECONDS);
  const expected = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(rawBody).digest();
  if (!signatures.split(' ').some((signature) => isSignature(signature, expected))) {
    throw new BadSignatureError('its signature does not match');
  }
  return {};
}

export function problemWithSigningSecret(value: string): string | undefined {
  const text = value.trim();
  return text.startsWith(SECRET_PREFIX) && BASE64.test(text.slice(SECRET_PREFIX.length))
    ? undefined
    : 'The signing secret is whsec_ and at least 24 characters of base64.';
}

function isSignature(signature: string, expected: Buffer): boolean {
  return (
    signature.startsWith(SIGNATURE_PREFIX) &&
    equalInConstantTime(signature.slice(SIGNATURE_PREFIX.length), expected.toString('base64'))
  );
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
}
