import { ApiError } from '../../http/errors/api-error.js';

/** A delivery that its provider did not send, or sent too long ago. Nothing in it is stored. */
export class BadSignatureError extends ApiError {
  readonly statusCode = 401;
  override readonly name = 'security_error';
  readonly code = 'invalid_signature';
  /** Amazon SNS sends its credentials only after this challenge (RFC 9110, section 15.5.2). */
  override readonly headers = { 'WWW-Authenticate': 'Basic realm="inbound"' };

  constructor(problem: string) {
    super(`The delivery cannot be verified: ${problem}.`);
  }

  static example(): BadSignatureError {
    return new BadSignatureError('its signature does not match');
  }
}

/** A webhook of Mailgun's old, form-encoded kind. 406 makes Mailgun drop it without a retry. */
export class LegacyWebhookError extends ApiError {
  readonly statusCode = 406;
  override readonly name = 'validation_error';
  readonly code = 'legacy_webhook';

  constructor() {
    super('This is a legacy webhook. Set up a webhook that sends JSON with "event-data".');
  }

  static example(): LegacyWebhookError {
    return new LegacyWebhookError();
  }
}
