import { MEBIBYTE } from '../route-options.js';
import { ApiError, type ApiErrorClass } from './api-error.js';

export class PayloadTooLargeError extends ApiError {
  readonly statusCode = 413;
  override readonly name = 'validation_error';
  readonly code = 'payload_too_large';

  constructor(limitBytes = MEBIBYTE) {
    super(`The body is larger than ${limitBytes / MEBIBYTE} MiB. Split it into several requests.`);
  }

  static example(): PayloadTooLargeError {
    return new PayloadTooLargeError();
  }
}

export class UnsupportedMediaTypeError extends ApiError {
  readonly statusCode = 415;
  override readonly name = 'validation_error';
  readonly code = 'unsupported_media_type';

  constructor() {
    super('The body must be JSON in UTF-8, sent with the header Content-Type: application/json.');
  }

  static example(): UnsupportedMediaTypeError {
    return new UnsupportedMediaTypeError();
  }
}

export class FormTypeError extends ApiError {
  readonly statusCode = 415;
  override readonly name = 'validation_error';
  readonly code = 'unsupported_form_type';

  constructor() {
    super('The body must be a form, sent with the header Content-Type: application/x-www-form-urlencoded.');
  }

  static example(): FormTypeError {
    return new FormTypeError();
  }
}

export class FileTypeError extends ApiError {
  readonly statusCode = 415;
  override readonly name = 'validation_error';
  readonly code = 'unsupported_file_type';

  /** @param hasJson - whether the route takes JSON, too */
  constructor(hasJson: boolean) {
    const types = hasJson
      ? 'text/csv, application/x-ndjson, application/json or text/plain'
      : 'text/csv or text/plain';
    super(
      `Send the file as the body, with Content-Type ${types}, and with no Content-Encoding but gzip; or in the field file of a ` +
        'form, with Content-Type multipart/form-data. With curl: -F file=@list.csv.',
    );
  }

  static example(): FileTypeError {
    return new FileTypeError(true);
  }

  /** For an operation that takes no JSON. */
  static readonly withoutJson: ApiErrorClass = { example: () => new FileTypeError(false) };
}

export class UnreadableUploadError extends ApiError {
  readonly statusCode = 422;
  override readonly name = 'validation_error';
  readonly code = 'unreadable_file';

  /** @param problem - a sentence that names the line, if there is one */
  constructor(problem: string) {
    super(`${problem} Nothing was changed.`);
  }

  static example(): UnreadableUploadError {
    return new UnreadableUploadError(
      'Line 3: the file is not UTF-8. Save it as UTF-8, or as UTF-16 with a byte order mark.',
    );
  }
}
