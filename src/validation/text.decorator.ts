import { applyDecorators } from '@nestjs/common';
import { Expose } from 'class-transformer';
import { IsString, Matches, ValidateBy } from 'class-validator';

/** PostgreSQL stores every character but NUL; half a surrogate pair is not a character. */
const STORABLE = /^[^\0\p{Cs}]*$/u;

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
