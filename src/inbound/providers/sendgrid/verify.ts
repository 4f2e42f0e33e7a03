import { createPublicKey, verify as verifySignature, type KeyObject } from 'node:crypto';
import { BadSignatureError } from '../errors.js';
import { epochSeconds, headerOf, requireFresh, secretOf } from '../proof.js';
import type { InboundRequest, SourceSettings, Verified } from '../provider.js';

/** SendGrid retries for 24 hours, and does not document whether it signs each attempt again. */
const MAX_AGE_SECONDS = 24 * 60 * 60;
const SIGNATURE_HEADER = 'x-twilio-email-event-webhook-signature';
const TIMESTAMP_HEADER = 'x-twilio-email-event-webhook-timestamp';
const PEM_LINE = /-----[A-Z ]+-----|\s/g;

/**
 * ECDSA on P-256 with SHA-256 over the timestamp and the body:
 * https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
 */
export async function verifySendgrid(request: InboundRequest, source: SourceSettings): Promise<Verified> {
  const { rawBody, headers, receivedAt } = request;
  const timestamp = headerOf(headers, TIMESTAMP_HEADER);
  const signature = headerOf(headers, SIGNATURE_HEADER);
  const key = publicKeyIn(secretOf(source, 'verification_key'));
  if (!signature || !key) {
    throw new BadSignatureError(key ? 'it has no signature' : 'the verification key of the source is no key');
  }
  requireFresh(epochSeconds(timestamp), receivedAt, MAX_AGE_SECONDS);
  const signed = Buffer.concat([Buffer.from(String(timestamp)), rawBody]);
  if (!verifySignature('sha256', signed, key, Buffer.from(signature, 'base64'))) {
    throw new BadSignatureError('its signature does not match');
  }
  return {};
}

export function problemWithVerificationKey(value: string): string | undefined {
  return publicKeyIn(value)
    ? undefined
    : 'The verification key is a public key of the curve P-256 in base64.';
}

/** In base64, as SendGrid displays it, or as PEM. */
function publicKeyIn(text: string): KeyObject | undefined {
  try {
    const der = Buffer.from(text.replace(PEM_LINE, ''), 'base64');
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
