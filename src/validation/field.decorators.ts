import { applyDecorators } from '@nestjs/common';
import { Expose, Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  Matches,
  ValidateBy,
  type ValidationOptions,
} from 'class-validator';
import { Invalid, STORABLE } from './parsers.js';

/** Parses a field as it was sent. A missing field stays missing. */
export function Parse(parse: (value: unknown) => unknown): PropertyDecorator {
  return Transform(({ obj, key }) => {
    const value = (obj as Record<string, unknown>)[key];
    return value === undefined ? undefined : parse(value);
  });
}

/** Refuses a field whose parser returned {@link Invalid}, with its problem as the message. */
export function IsParsed(name: string, message: string, options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name,
      validator: {
        validate: (value) => value !== undefined && !(value instanceof Invalid),
        defaultMessage: () => message,
      },
    },
    options,
  );
}

/** Refuses a field if the other one is also given. */
export function NotWith(other: string): PropertyDecorator {
  return ValidateBy({
    name: 'notWith',
    validator: {
      validate: (_value, args) => ((args!.object as Record<string, unknown>)[other] ?? null) === null,
      defaultMessage: () => `must be left out if ${other} is given`,
    },
  });
}

/**
 * A field with a parser, which returns {@link Invalid} for a value that it refuses.
 *
 * @param missing - the problem if the field is required and absent
 */
export function Parsed(parse: (value: unknown) => unknown, missing = 'must be given'): PropertyDecorator {
  return applyDecorators(Expose(), Parse(parse), IsParsed('isParsed', missing));
}

/** An optional field. Null means the same as absence, unless the DTO says otherwise. The parser never gets null. */
export function OptionalParsed(parse: (value: unknown) => unknown): PropertyDecorator {
  return applyDecorators(
    Parsed((value) => (value === null ? null : parse(value))),
    IsOptional(),
  );
}

/** The words for the elements of an array in messages. */
interface Elements {
  one: string;
  many: string;
  /** Ends the message about a value that is not an array. */
  advice?: string;
}

export const EMAILS: Elements = { one: 'email address', many: 'email addresses' };

/**
 * A field with 1 to `max` elements, each with a parser. A longer array is left unparsed, since it is refused.
 *
 * For addresses, class-validator's `@IsEmail` does not suffice: with any options, it refuses real mailboxes
 * (`user.@docomo.ne.jp`, an IPv6 literal, an emoji) and accepts a zero-width space, which makes a second, invisible address.
 */
export function ParsedEach(
  parse: (value: unknown) => unknown,
  max: number,
  { one, many, advice = '' }: Elements,
): PropertyDecorator {
  return applyDecorators(
    Expose(),
    Transform(({ value }) =>
      Array.isArray(value) && value.length <= max ? value.map((element) => parse(element)) : value,
    ),
    IsArray({ message: `must be an array of 1 to ${max} ${many}${advice}` }),
    ArrayMinSize(1, { message: `must have at least 1 ${one}` }),
    ArrayMaxSize(max, { message: `must have at most ${max} ${many}` }),
    IsParsed('isParsed', `must be an ${one}`, { each: true }),
  );
}

export function OneOf(values: readonly string[]): PropertyDecorator {
  return applyDecorators(Expose(), IsIn(values, { message: `must be one of ${values.join(', ')}` }));
}

export function OptionalOneOf(values: readonly string[]): PropertyDecorator {
  return applyDecorators(OneOf(values), IsOptional());
}

/** Only decimal digits, unlike other texts that JavaScript accepts as numbers, such as 0x10, 1e1, or an empty text. */
const DIGITS = /^\d{1,15}$/;

/** Parses a whole number from `min` to `max` inclusive. */
export function IsWholeNumber(min: number, max = Infinity): PropertyDecorator {
  const range = max === Infinity ? `of ${min} or more` : `from ${min} to ${max}`;
  const message = `must be a whole number ${range}`;
  const parse = (value: unknown): number | Invalid => {
    const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : NaN;
    return number >= min && number <= max ? number : new Invalid(message);
  };
  return applyDecorators(Parse(parse), IsParsed('isWholeNumber', message));
}

/** A field with any text that PostgreSQL can store, of a length in Unicode characters. */
export function IsText(maxLength: number): PropertyDecorator {
  return applyDecorators(
    Expose(),
    IsString({ message: 'must be a string' }),
    ValidateBy({
      name: 'maxCharacters',
      validator: {
        validate: (value) => typeof value === 'string' && [...value].length <= maxLength,
        defaultMessage: () => `must have at most ${maxLength} characters`,
      },
    }),
    Matches(STORABLE, { message: 'must not contain NUL characters or unpaired surrogates' }),
  );
}
