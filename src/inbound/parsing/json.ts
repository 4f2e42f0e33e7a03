import { apiError } from '../../http/errors/api-error.js';
import { problemWithJson } from '../../validation/json-limits.js';

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

/** No provider nests deeper than ten levels. */
const JSON_LIMITS = { depth: 64, values: Infinity, mayRepeatNames: true };
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** @throws {MalformedBodyError} when the bytes are not JSON in UTF-8, or are nested too deeply */
export function parseJson(rawBody: Buffer): unknown {
  try {
    return parseJsonText(UTF_8.decode(rawBody));
  } catch (error) {
    throw error instanceof MalformedBodyError ? error : new MalformedBodyError('it is not UTF-8');
  }
}

/** @throws {MalformedBodyError} when the text is not JSON, or is nested too deeply */
export function parseJsonText(text: string): unknown {
  const problem = problemWithJson(Buffer.from(text), JSON_LIMITS);
  if (problem) {
    throw new MalformedBodyError(`it ${problem}`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new MalformedBodyError('it is not valid JSON');
  }
}

/**
 * The value at a path of untrusted JSON, of any type. Reads only own properties of objects: nothing from a prototype, and
 * neither elements nor the length of an array.
 */
export function valueAt(json: unknown, ...path: string[]): unknown {
  let value = json;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) {
      return undefined;
    }
    value = value[name];
  }
  return value;
}

export function stringAt(json: unknown, ...path: string[]): string | undefined {
  const value = valueAt(json, ...path);
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(json: unknown, ...path: string[]): number | undefined {
  const value = valueAt(json, ...path);
  return typeof value === 'number' ? value : undefined;
}

export function booleanAt(json: unknown, ...path: string[]): boolean | undefined {
  const value = valueAt(json, ...path);
  return typeof value === 'boolean' ? value : undefined;
}

/** A string, or a number in its decimal form: some providers switch between the two. */
export function textAt(json: unknown, ...path: string[]): string | undefined {
  return stringAt(json, ...path) ?? numberAt(json, ...path)?.toString();
}

/** The elements of an array; none if the value is not an array. */
export function elementsAt(json: unknown, ...path: string[]): unknown[] {
  const value = valueAt(json, ...path);
  return Array.isArray(value) ? value : [];
}

/** The strings of an array, or a single string in its place. */
export function stringsAt(json: unknown, ...path: string[]): string[] {
  const value = valueAt(json, ...path);
  return (Array.isArray(value) ? value : [value]).filter((element) => typeof element === 'string');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** More than any provider sends at once. */
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
