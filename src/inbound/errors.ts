import { ApiError } from '../http/api-error.js';
import { EXIT_CODE, OperatorError } from '../process/operator-error.js';

/** Every provider tries again for hours; most have a schedule of their own and do not read this. */
const PAUSED_RETRY_SECONDS = 600;

/** A delivery that its provider did not send, or sent too long ago. Nothing of it may be believed or stored. */
export class BadSignatureError extends ApiError {
  readonly statusCode = 401;
  override readonly name = 'invalid_signature';
  /** RFC 9110, section 15.5.2, asks for a challenge; Amazon SNS shows its credentials only after one. */
  override readonly headers = { 'WWW-Authenticate': 'Basic realm="inbound"' };

  constructor(problem: string) {
    super(`The delivery cannot be verified: ${problem}.`);
  }

  static example(): BadSignatureError {
    return new BadSignatureError('its signature does not match');
  }
}

/** A body that is not what the provider documents. Asking again with the same body is of no use. */
export class MalformedBodyError extends ApiError {
  readonly statusCode = 400;
  override readonly name = 'malformed_body';

  constructor(problem: string) {
    super(`The body is malformed: ${problem}.`);
  }

  static example(): MalformedBodyError {
    return new MalformedBodyError('it is not valid JSON');
  }
}

/** A raw message that is larger than mail servers take. */
export class MessageTooLargeError extends ApiError {
  readonly statusCode = 413;
  override readonly name = 'payload_too_large';

  constructor() {
    super('The message is larger than 25 MiB.');
  }

  static example(): MessageTooLargeError {
    return new MessageTooLargeError();
  }
}

/** A webhook of Mailgun's old, form-encoded kind. To Mailgun, 406 says: drop it, do not try again. */
export class LegacyWebhookError extends ApiError {
  readonly statusCode = 406;
  override readonly name = 'legacy_webhook';

  constructor() {
    super('This is a legacy webhook. Set up a webhook that sends JSON with "event-data".');
  }

  static example(): LegacyWebhookError {
    return new LegacyWebhookError();
  }
}

/** No source has this URL. */
export class UnknownSourceError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';

  constructor() {
    super('There is no source with this URL.');
  }

  static example(): UnknownSourceError {
    return new UnknownSourceError();
  }
}

/** The source takes nothing for the moment: whoever has events keeps them and tries again. */
export class SourcePausedError extends ApiError {
  readonly statusCode = 503;
  override readonly name = 'source_paused';
  override readonly headers = { 'Retry-After': String(PAUSED_RETRY_SECONDS) };

  constructor() {
    super('This source is paused. Keep the events and try again later.');
  }

  static example(): SourcePausedError {
    return new SourcePausedError();
  }
}

/** Resend answers so, too. */
export class InvalidIdempotencyKeyError extends ApiError {
  readonly statusCode = 400;
  override readonly name = 'invalid_idempotency_key';

  constructor() {
    super('The Idempotency-Key must have 1 to 256 characters.');
  }

  static example(): InvalidIdempotencyKeyError {
    return new InvalidIdempotencyKeyError();
  }
}

/** The same Idempotency-Key with other events. Resend answers so, too. */
export class IdempotencyConflictError extends ApiError {
  readonly statusCode = 409;
  override readonly name = 'invalid_idempotent_request';

  constructor() {
    super('This Idempotency-Key was used with another body. Send the same body, or another key.');
  }

  static example(): IdempotencyConflictError {
    return new IdempotencyConflictError();
  }
}

/** There is no source with that id. For commands. */
export class SourceNotFoundError extends OperatorError {
  override readonly name = 'SourceNotFoundError';
  override readonly exitCode = EXIT_CODE.notFound;

  constructor(id: string) {
    super(`There is no source ${id}. "source list" shows those there are.`);
  }
}

/** What a source was told to be cannot be. For commands. */
export class InvalidSourceError extends OperatorError {
  override readonly name = 'InvalidSourceError';
  override readonly exitCode = EXIT_CODE.wrongUsage;
}

/** The source takes nothing for the moment. For commands. */
export class PausedSourceError extends OperatorError {
  override readonly name = 'PausedSourceError';

  constructor(id: string) {
    super(`The source ${id} is paused. "source resume ${id}" lets it take mail again.`);
  }
}
