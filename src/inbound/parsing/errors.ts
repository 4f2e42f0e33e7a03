import { apiError } from '../../http/errors/api-error.js';

/**
 * A delivery to a source is not JSON, or does not have the format that its provider documents. An event whose recipient is not
 * an address does not cause this error: it is stored, counted by `source show`, and has no effect.
 *
 * Nothing was stored. An unchanged retry fails again.
 */
export class MalformedBodyError extends apiError(
  400,
  'malformed_body',
  (problem: string) => `The body is malformed: ${problem}.`,
  { example: ['it is not valid JSON'] },
) {}

/**
 * A raw message is larger than 25 MiB.
 *
 * The service needs only the beginning of the message, so send only that.
 */
export class MessageTooLargeError extends apiError(
  413,
  'message_too_large',
  'The message is larger than 25 MiB.',
) {}
