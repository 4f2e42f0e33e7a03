import { createHmac } from 'node:crypto';
import { BadSignatureError, epochSeconds, equalInConstantTime, requireFresh, secretOf } from '../proof.js';
import { EMAIL_ID_FIELD } from '../provider.js';
import type { Provider, InboundRequest, SourceSettings, Verified } from '../provider.js';
import { readResend, webhookHeader } from './read.js';

const LIST = { name: "Resend's suppression list", path: 'Emails > Suppressions' };

/** Resend, by its webhooks: https://resend.com/docs/webhooks/introduction */
export const resend = {
  name: 'resend',
  secrets: [
    {
      name: 'signing_secret',
      description: 'The signing secret on the page of the webhook; it begins with whsec_.',
      generatedBy: 'provider',
      problemWith: problemWithSigningSecret,
    },
  ],
  options: [EMAIL_ID_FIELD],
  units: ['topic'],
  setup: [
    'In the Resend dashboard, open Webhooks and add a webhook with this URL.',
    'Select the events suppression.added and suppression.removed. They name the address, the origin and the email.',
    'Also select email.bounced, email.complained, email.suppressed and email.delivered.',
    'For unsubscribes, select contact.created, contact.updated and contact.topics.updated.',
  ],
  suppressionLists: {
    bounce: LIST,
    complaint: LIST,
    unsubscribe: { name: "Resend's list of unsubscribed contacts", path: 'Audience > the contact' },
    manual: LIST,
  },
  verify: verifyResend,
  read: readResend,
} as const satisfies Provider;

/** Each retry is signed again. */
const MAX_AGE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';
const SIGNATURE_PREFIX = 'v1,';
/** A dot ends the id in the signed text, so an id must not contain one. */
const ID = /^[\w-]+$/;
const BASE64 = /^[A-Za-z0-9+/]{24,}={0,2}$/;

/**
 * HMAC-SHA256 over `id.timestamp.body`. There are several signatures while a secret is rotated.
 * https://resend.com/docs/webhooks/verify-webhooks-requests
 */
export async function verifyResend(request: InboundRequest, source: SourceSettings): Promise<Verified> {
  const { rawBody, headers, receivedAt } = request;
  const id = webhookHeader(headers, 'id');
  const timestamp = webhookHeader(headers, 'timestamp');
  const signatures = webhookHeader(headers, 'signature');
  const secret = secretOf(source, 'signing_secret');
  if (!id || !ID.test(id) || !signatures) {
    throw new BadSignatureError('it has no valid svix-id or webhook-id, or no signature');
  }
  // Anybody can guess a short key.
  if (problemWithSigningSecret(secret)) {
    throw new BadSignatureError('the signing secret of the source is invalid');
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
    : 'The signing secret must be whsec_ and at least 24 characters of base64.';
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
