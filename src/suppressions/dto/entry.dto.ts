import { ApiPropertyOptional } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsOptional } from 'class-validator';
import { parseExpiry } from '../../validation/expiry.js';
import { IsParsed, Parse } from '../../validation/parse.decorator.js';
import { RejectMisspellings } from '../../validation/reject-misspellings.decorator.js';
import type { ManualEntry } from '../addition.js';
import { NoteDto } from './note.dto.js';

/** What somebody says about addresses that they suppress by hand. */
export class EntryDto extends NoteDto {
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When the suppression ends, unless it has a cause that lasts. Null or absent: never. It can extend a suppression, not ' +
      'shorten it.',
  })
  @Expose()
  @RejectMisspellings()
  @Parse(parseExpiry)
  @IsOptional()
  @IsParsed('isExpiry', 'must be a timestamp in the future')
  expires_at?: Date | null;

  toEntry(): ManualEntry {
    return { note: this.note ?? null, expiresAt: this.expires_at ?? null };
  }
}
