import { PayloadTooLargeError } from './body-errors.js';
import { ValidationError } from './errors.js';
import type { ApiError } from './api-error.js';

const ONE_FILE =
  'Send one file, in the field of the form for it. A file that arrived before it may have been accepted.';

const OWN_FORM = 'The form has fields that this page does not have. Reload the page, and fill it in again.';
const SHORTER = 'A field of the form is too long. Shorten it, and send the form again.';

/** What to do about the errors of multer, by their codes. */
const PROBLEMS: Record<string, string> = {
  LIMIT_FILE_COUNT: ONE_FILE,
  LIMIT_UNEXPECTED_FILE: ONE_FILE,
  LIMIT_FIELD_VALUE: SHORTER,
  LIMIT_FIELD_KEY: OWN_FORM,
  LIMIT_FIELD_COUNT: OWN_FORM,
  LIMIT_FIELD_NESTING: OWN_FORM,
  LIMIT_FIELD_ARRAY_INDEX: OWN_FORM,
  LIMIT_PART_COUNT: OWN_FORM,
  INVALID_FIELD_NAME: OWN_FORM,
  MISSING_FIELD_NAME: OWN_FORM,
};

/** Messages of the parser of `multipart/form-data`, which has no codes. */
const CUT_OFF = /Unexpected end of|Boundary not found|Malformed part header/;

/** Whether the parser says that a form ended early. */
export function isCutOff(error: unknown): boolean {
  return CUT_OFF.test(String((error as { message?: unknown }).message));
}

/** The problem of a form with a file, if the cause of an `HttpException` is one. */
export function problemWithUpload(cause: unknown): ApiError | undefined {
  const { code = '', message = '' } = (cause ?? {}) as { code?: string; message?: string };
  if (code === 'LIMIT_FILE_SIZE') {
    return new PayloadTooLargeError();
  }
  const problem = CUT_OFF.test(message)
    ? 'The form did not arrive completely. Choose the file again, and send the form once more.'
    : PROBLEMS[code];
  return problem === undefined ? undefined : ValidationError.ofRequest(problem);
}
