import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { RejectMisspellings } from '../../validation/reject-misspellings.decorator.js';
import { IsText } from '../../validation/text.decorator.js';

const MAX_LENGTH = 1000;

export class NoteDto {
  @ApiPropertyOptional({
    type: String,
    description: 'The reason for the change, shown in the history. It is not part of the suppression.',
    maxLength: MAX_LENGTH,
    example: 'Asked on the phone',
  })
  @RejectMisspellings()
  @IsOptional()
  @IsText(MAX_LENGTH)
  note?: string | null;
}
