import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsText } from '../../validation/text.decorator.js';

const MAX_LENGTH = 1000;

/** What a change may say about itself. It goes to the ledger, not to the record. */
export class NoteDto {
  @ApiPropertyOptional({
    type: String,
    description: 'Why, for those who read the history. It is not part of the record.',
    maxLength: MAX_LENGTH,
    example: 'Asked on the phone',
  })
  @IsOptional()
  @IsText(MAX_LENGTH)
  note?: string | null;
}
