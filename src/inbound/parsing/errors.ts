import { ApiError } from '../../http/errors/api-error.js';

/** A body that is not what the provider documents. Sending it again does not help. */
export class MalformedBodyError extends ApiError {
  readonly statusCode = 400;
  override readonly name = 'validation_error';
  readonly code = 'malformed_body';

  constructor(problem: string) {
    super(`The body is malformed: ${problem}.`);
  }

  static example(): MalformedBodyError {
    return new MalformedBodyError('it is not valid JSON');
  }
}

/** A raw message that is larger than mail servers accept. */
export class MessageTooLargeError extends ApiError {
  readonly statusCode = 413;
  override readonly name = 'validation_error';
  readonly code = 'message_too_large';

  constructor() {
    super('The message is larger than 25 MiB.');
  }

  static example(): MessageTooLargeError {
    return new MessageTooLargeError();
  }
}
