import { apiError } from '../../http/errors/api-error.js';

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
