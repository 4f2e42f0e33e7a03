import { Reflector } from '@nestjs/core';
import { getMetadataStorage } from 'class-validator';
import { closestMatch } from 'leven';

/** Fields that a DTO does not have. Each value is the end of a sentence that says what to do instead. */
export type RefusedFields = Readonly<Record<string, string>>;

/**
 * Marks a DTO that refuses these unknown fields with specific messages. Other unknown fields of a body are ignored, so these
 * are the ones whose loss would change the meaning of the request. A query also refuses all others.
 */
export const RefuseFields = Reflector.createDecorator<RefusedFields>();

/**
 * Marks a DTO whose unknown fields are errors. Without it they are ignored, as the Resend API does; see `@RejectMisspellings()`.
 */
export const RejectUnknownFields = Reflector.createDecorator<true>({ transform: () => true as const });

const METADATA = Symbol('rejectMisspellings');

/**
 * Marks an optional field whose loss would go unnoticed. Unknown fields are ignored, as Resend does, except those whose name is
 * almost that of a marked field: `expire_at` would otherwise suppress without an expiry.
 */
export function RejectMisspellings(): PropertyDecorator {
  return (prototype, field) => {
    Reflect.defineMetadata(METADATA, [...guardedFieldsOf(prototype.constructor), field], prototype);
  };
}

/** The names of the marked fields of a DTO. */
export function guardedFieldsOf(dto: Function): readonly string[] {
  return (Reflect.getMetadata(METADATA, dto.prototype) as string[] | undefined) ?? [];
}

export interface UnknownField {
  path: string;
  message: string;
}

const MAX_REPORTED = 10;
/**
 * The most fields that are compared. A body may have thousands of unknown fields, and comparing all names would block the event
 * loop.
 */
const MAX_COMPARED = 100;
const MAX_NAME_LENGTH = 50;
/** The most fields that a message lists. */
const MAX_LISTED = 8;
/** A quarter of the letters of a name may be mistyped. */
const LETTERS_PER_MISTAKE = 4;

/** Names of these fields in other APIs. */
const SYNONYMS: Readonly<Record<string, string>> = {
  cursor: 'after',
  starting_after: 'after',
  ending_before: 'before',
  per_page: 'limit',
  page_size: 'limit',
};

const fieldsOfDtos = new WeakMap<Function, readonly string[]>();

/** The names of the fields of a DTO: those with a validator. */
export function fieldsOf(dto: Function): readonly string[] {
  let fields = fieldsOfDtos.get(dto);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    fields = [...new Set(rules.map(({ propertyName }) => propertyName))];
    fieldsOfDtos.set(dto, fields);
  }
  return fields;
}

/**
 * Finds the fields that are not known, and for each one the known field that was probably meant. If one resembles none, the last
 * such message lists the known fields.
 *
 * @param given - the names of the fields of a request
 * @param kind - what they are called in the messages
 * @returns the first ten
 */
export function findUnknownFields(
  given: string[],
  known: readonly string[],
  kind: 'field' | 'query parameter' = 'field',
): UnknownField[] {
  const unknown = given.filter((name) => !known.includes(name)).slice(0, MAX_REPORTED);
  const suggestions = unknown.map((name) => closestField(name, known));
  return unknown.map((name, index) => {
    const suggestion = suggestions[index];
    const list = index === suggestions.lastIndexOf(undefined) ? listOf(known, kind) : '';
    const hint = suggestion === undefined ? list : ` (did you mean \`${suggestion}\`?)`;
    return { path: name.slice(0, MAX_NAME_LENGTH), message: `is not a ${kind}${hint}` };
  });
}

/**
 * Finds the unknown fields that were probably meant to be a guarded one.
 *
 * @param given - the names of the fields of a request
 * @returns the first ten
 */
export function findMisspelledFields(
  given: string[],
  known: readonly string[],
  guarded: readonly string[],
): UnknownField[] {
  const unknown = given.filter((name) => !known.includes(name)).slice(0, MAX_COMPARED);
  return findUnknownFields(
    unknown.filter((name) => closestField(name, guarded) !== undefined),
    guarded,
  );
}

function listOf(known: readonly string[], kind: string): string {
  const names = known.map((name) => `\`${name}\``).join(', ');
  if (known.length < 2) {
    return known.length === 0 ? '; there are none' : `; the only ${kind} is ${names}`;
  }
  return known.length > MAX_LISTED ? '' : `; the ${kind}s are ${names}`;
}

function closestField(name: string, known: readonly string[]): string | undefined {
  const typed = name.slice(0, MAX_NAME_LENGTH);
  return (
    known.find((field) => Object.hasOwn(SYNONYMS, typed) && field === SYNONYMS[typed]) ??
    known.find((field) => field.startsWith(`${typed}_`)) ??
    closestMatch(typed, known, { maxDistance: Math.ceil(typed.length / LETTERS_PER_MISTAKE) })
  );
}
