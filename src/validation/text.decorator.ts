import { applyDecorators } from '@nestjs/common';
import { Expose } from 'class-transformer';
import { IsString, Matches, ValidateBy } from 'class-validator';
import { STORABLE } from './trimmed-text.js';

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
