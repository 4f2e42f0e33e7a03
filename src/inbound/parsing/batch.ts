import { MalformedBodyError } from './errors.js';
import { isObject } from './json.js';

/** More than any provider sends in a body of 1 MiB. */
const MAX_EVENTS = 5_000;
/** Resend and Amazon SES accept 50 in one mail; the other providers report each recipient separately. */
const MAX_RECIPIENTS = 1_000;

/** @throws {MalformedBodyError} when the body is not an array, or has too many elements */
export function requireArray(body: unknown): unknown[] {
  if (!Array.isArray(body)) {
    throw new MalformedBodyError('it must be an array of events');
  }
  if (body.length > MAX_EVENTS) {
    throw new MalformedBodyError(`it must not hold more than ${MAX_EVENTS} events`);
  }
  return body;
}

/** @throws {MalformedBodyError} when the body is neither an event nor an array of them */
export function requireOneOrMany(body: unknown): unknown[] {
  return Array.isArray(body) ? requireArray(body) : [requireObject(body)];
}

/** @throws {MalformedBodyError} when the body is not an object */
export function requireObject(body: unknown): Record<string, unknown> {
  if (!isObject(body)) {
    throw new MalformedBodyError('it must be an object');
  }
  return body;
}

/** @throws {MalformedBodyError} when one mail has more recipients than any provider accepts */
export function requireFew<T>(recipients: T[]): T[] {
  if (recipients.length > MAX_RECIPIENTS) {
    throw new MalformedBodyError(`it must not name more than ${MAX_RECIPIENTS} recipients`);
  }
  return recipients;
}
