import { Webhook } from 'standardwebhooks';
import type { SigningSecret } from './signing-secrets.js';

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
