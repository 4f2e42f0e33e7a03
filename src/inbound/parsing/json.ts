import { MalformedBodyError } from './errors.js';

/** No provider nests deeper than ten; a database and a recursive reader may fail on thousands. */
const MAX_DEPTH = 64;
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** @throws {MalformedBodyError} when the octets are not JSON in UTF-8, or are nested without end */
export function parseJson(rawBody: Buffer): unknown {
  try {
    return parseJsonText(UTF_8.decode(rawBody));
  } catch (error) {
    throw error instanceof MalformedBodyError ? error : new MalformedBodyError('it is not UTF-8');
  }
}

/** @throws {MalformedBodyError} when the text is not JSON, or is nested without end */
export function parseJsonText(text: string): unknown {
  if (depthOf(text) > MAX_DEPTH) {
    throw new MalformedBodyError(`it is nested deeper than ${MAX_DEPTH} levels`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new MalformedBodyError('it is not valid JSON');
  }
}

/**
 * What stands at a path of untrusted JSON, of whatever type. Own properties of objects alone: never what a prototype
 * has, never an element or the length of an array.
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

/** A string, or a number as the string that it is written as: some providers change their mind. */
export function textAt(json: unknown, ...path: string[]): string | undefined {
  return stringAt(json, ...path) ?? numberAt(json, ...path)?.toString();
}

/** The elements of an array; none when it is no array. */
export function elementsAt(json: unknown, ...path: string[]): unknown[] {
  const value = valueAt(json, ...path);
  return Array.isArray(value) ? value : [];
}

/** The strings of an array, or the one string that stands in its place. */
export function stringsAt(json: unknown, ...path: string[]): string[] {
  const value = valueAt(json, ...path);
  return (Array.isArray(value) ? value : [value]).filter((element) => typeof element === 'string');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How deep the brackets outside of strings go. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === '\\') {
        at++;
      } else if (character === '"') {
        inString = false;
      }
    } else if (character === '"') {
      inString = true;
    } else if (character === '{' || character === '[') {
      deepest = Math.max(deepest, ++depth);
    } else if (character === '}' || character === ']') {
      depth--;
    }
  }
  return deepest;
}
