import { applyDecorators } from '@nestjs/common';
import { Expose } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import { IsParsed, Parse } from './parse.decorator.js';

/**
 * A field with a parser, which returns {@link Invalid} for a value that it refuses.
 *
 * @param missing - the problem if the field is required and absent
 */
export function Parsed(parse: (value: unknown) => unknown, missing = 'is missing'): PropertyDecorator {
  return applyDecorators(Expose(), Parse(parse), IsParsed('isParsed', missing));
}

/** A field of which null means the same as its absence, unless its DTO says otherwise. The parser gets no null. */
export function OptionalParsed(parse: (value: unknown) => unknown): PropertyDecorator {
  return applyDecorators(
    Parsed((value) => (value === null ? null : parse(value))),
    IsOptional(),
  );
}

export function OneOf(values: readonly string[]): PropertyDecorator {
  return applyDecorators(Expose(), IsIn(values, { message: `must be one of ${values.join(', ')}` }));
}

export function OptionalOneOf(values: readonly string[]): PropertyDecorator {
  return applyDecorators(OneOf(values), IsOptional());
}
