import { applyDecorators } from '@nestjs/common';
import { Invalid } from './invalid.js';
import { IsParsed, Parse } from './parse.decorator.js';

/** Decimal digits, and nothing else that JavaScript accepts as a number, such as 0x10, 1e1 or an empty text. */
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
