import { createHmac } from 'node:crypto';
import { BadSignatureError, LegacyWebhookError } from '../errors.js';
import { parseJson, textAt, valueAt } from '../../parsing/json.js';
import { epochSeconds, equalInConstantTime, headerOf, requireFresh, secretOf } from '../proof.js';
import type { InboundRequest, SourceSettings, Verified } from '../provider.js';

/** Mailgun retries for eight hours, and does not document whether it signs each attempt again. */
const MAX_AGE_SECONDS = 9 * 60 * 60;
const TOKEN = /^[\x21-\x7e]{16,128}$/;
/** A webhook with attachments, such as the returned email, is multipart. */
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/**
 * HMAC-SHA256 over the timestamp and a token, which is good for one event at one source:
 * https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 *
 * @throws {LegacyWebhookError} if the webhook is form-encoded, so that Mailgun stops retrying
 */
export async function verifyMailgun(
  { rawBody, headers, receivedAt }: InboundRequest,
  source: SourceSettings,
): Promise<Verified> {
  const contentType = headerOf(headers, 'content-type') ?? '';
  const isLegacy = FORM.test(contentType);
  const proof = isLegacy ? await formFields(contentType, rawBody) : valueAt(parseJson(rawBody), 'signature');
  const timestamp = textAt(proof, 'timestamp');
  const token = textAt(proof, 'token');
  requireFresh(epochSeconds(timestamp), receivedAt, MAX_AGE_SECONDS);
  if (!token || !TOKEN.test(token)) {
    throw new BadSignatureError('it has no valid token');
  }
  const key = secretOf(source, 'signing_key');
  const expected = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex');
  // The event of a subaccount carries the signature of the main account besides its own.
  const given = [textAt(proof, 'signature'), textAt(proof, 'parent-signature')];
  if (!given.some((signature) => equalInConstantTime(signature?.toLowerCase() ?? '', expected))) {
    throw new BadSignatureError('its signature does not match');
  }
  if (isLegacy) {
    throw new LegacyWebhookError();
  }
  return { singleUseToken: singleUseTokenOf(key, token) };
}

/** The same for every source with this signing key. It cannot be a signature, because signed texts begin with ten digits. */
function singleUseTokenOf(key: string, token: string): string {
  return createHmac('sha256', key).update(`once ${token}`).digest('hex');
}

/** A form that cannot be read has no fields, so it fails the verification. */
async function formFields(contentType: string, rawBody: Buffer): Promise<unknown> {
  try {
    const form = new Response(new Uint8Array(rawBody), { headers: { 'Content-Type': contentType } });
    return Object.fromEntries(await form.formData());
  } catch {
    return {};
  }
}
