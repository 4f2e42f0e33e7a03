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

export function OptionalParsed(parse: (value: unknown) => unknown): PropertyDecorator {
  return applyDecorators(Parsed(parse), IsOptional());
}

export function OneOf(values: readonly string[]): PropertyDecorator {
  return applyDecorators(Expose(), IsIn(values, { message: `must be one of ${values.join(', ')}` }));
}

export function OptionalOneOf(values: readonly string[]): PropertyDecorator {
  return applyDecorators(OneOf(values), IsOptional());
}
