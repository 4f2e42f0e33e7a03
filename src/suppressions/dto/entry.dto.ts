import { ApiPropertyOptional } from '@nestjs/swagger';
import { parseExpiry } from '../../validation/expiry.js';
import { RefuseFields } from '../../validation/refuse-fields.decorator.js';
import { RejectMisspellings } from '../../validation/reject-misspellings.decorator.js';
import type { ManualEntry } from '../additions/additions.repository.js';
import { NoteDto } from './note.dto.js';
import { OptionalParsed } from '../../validation/field.decorators.js';

const ALWAYS_MANUAL =
  'cannot be chosen: an address that is added has the cause `manual`. Report a bounce, a complaint or an unsubscribe with ' +
  'POST /events, or import a file with POST /imports';

@RefuseFields({
  cause: ALWAYS_MANUAL,
  causes: ALWAYS_MANUAL,
  origin: ALWAYS_MANUAL,
  topic:
    'cannot be given: an address that is added gets no mail at all. Opt out of a topic with PATCH /contacts/:contact/topics',
})
export class EntryDto extends NoteDto {
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When the suppression expires, unless it has a cause that does not. If null or absent, it never expires. It can ' +
      'extend a suppression, but not shorten it.',
  })
  @OptionalParsed(parseExpiry)
  @RejectMisspellings()
  expires_at?: Date | null;

  toEntry(): ManualEntry {
    return { note: this.note ?? null, expiresAt: this.expires_at ?? null };
  }
}
