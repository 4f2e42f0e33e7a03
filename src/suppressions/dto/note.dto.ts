import { ApiPropertyOptional } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsOptional, IsString, Matches, ValidateBy } from 'class-validator';

/** Unicode characters, as PostgreSQL counts them too. */
const MAX_LENGTH = 1000;
/** PostgreSQL stores every character but NUL; half a surrogate pair is none. */
const STORABLE = /^[^\0\p{Cs}]*$/u;

/** What a change may say about itself. It goes to the ledger, not to the record. */
export class NoteDto {
  @ApiPropertyOptional({
    type: String,
    description: 'Why, for those who read the history. It is not part of the record.',
    maxLength: MAX_LENGTH,
    example: 'Asked on the phone',
  })
  @Expose()
  @IsOptional()
  @IsString({ message: 'must be a string' })
  @ValidateBy({
    name: 'maxCharacters',
    validator: {
      validate: (value) => typeof value === 'string' && [...value].length <= MAX_LENGTH,
      defaultMessage: () => 'must have at most 1000 characters',
    },
  })
  @Matches(STORABLE, { message: 'must not contain NUL characters or unpaired surrogates' })
  note?: string | null;
}
