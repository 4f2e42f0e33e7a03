import { MEBIBYTE } from '../route.js';
import { apiError, withAdvice } from './api-error.js';

/** The body is larger than the limit of the operation: 1 MiB for JSON, 2 MiB for deliveries to a source, and 1 GiB for files. */
export class PayloadTooLargeError extends apiError(
  413,
  'payload_too_large',
  (limitBytes: number = MEBIBYTE) =>
    `The body is larger than ${limitBytes / MEBIBYTE} MiB. Split it into several requests.`,
) {}

/** The body is not JSON, or its charset or content encoding is not supported. */
export class UnsupportedMediaTypeError extends apiError(
  415,
  'unsupported_media_type',
  'The body must be JSON in UTF-8, sent with the header Content-Type: application/json.',
) {}

/**
 * A page received a body that is not a form.
 *
 * Pages are for browsers, which send this kind of form. From programs, use the API.
 */
export class FormTypeError extends apiError(
  415,
  'unsupported_form_type',
  'The body must be a form, sent with the header Content-Type: application/x-www-form-urlencoded.',
) {}

/**
 * The body of an import or a scrub must be a file of a type that the service reads. A scrub reads no JSON.
 *
 * Nothing was stored. curl needs `-F file=@list.csv`, or `-H 'Content-Type: text/csv'` and `--data-binary @list.csv`.
 */
export class FileTypeError extends apiError(
  415,
  'unsupported_file_type',
  (hasJson: boolean) =>
    `Send the file as the body, with Content-Type ${hasJson ? 'text/csv, application/x-ndjson, application/json' : 'text/csv'} ` +
    'or text/plain, and with no Content-Encoding but gzip; or in the field file of a form, with Content-Type ' +
    'multipart/form-data. With curl: -F file=@list.csv.',
  { example: [true] },
) {}

/**
 * The file is damaged, is not a text file in UTF-8 or UTF-16, or begins with a line that is not a header, such as `sep=;`.
 *
 * Nothing was stored. A later mistake in the file, such as a quotation mark that is never closed, makes the import fail
 * instead: its `status` is `failed`, and its `error` names the line.
 */
export class UnreadableUploadError extends apiError(
  422,
  'unreadable_file',
  (problem: string, advice?: string) =>
    advice === undefined
      ? `${problem} Nothing was changed.`
      : withAdvice(problem, 'file', `${advice} Nothing was changed.`),
  { example: ['Line 3: the file is not UTF-8. Save it as UTF-8, or as UTF-16 with a byte order mark.'] },
) {}
