import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { parseEmailAddress, type EmailAddress } from '../../email-address/email-address.js';
import { nullableTimestamp, text } from '../../http/properties.js';
import type { WritesJson } from '../../http/responses/response.js';
import { MAX_NOTE_LENGTH } from '../../ledger/evidence.js';
import { EMAILS, IsText, OptionalParsed, Parsed, ParsedEach } from '../../validation/field.decorators.js';
import { parseExpiry } from '../../validation/parsers.js';
import { RefuseFields, RejectMisspellings } from '../../validation/unknown-fields.js';
import type { ManualEntry } from '../additions/additions.service.js';
import { SuppressionIdDto } from './suppression.dto.js';

export class NoteDto {
  @ApiPropertyOptional({
    type: String,
    description: 'The reason for the change, shown in the history. It is not part of the suppression.',
    maxLength: MAX_NOTE_LENGTH,
    example: 'Asked on the phone',
  })
  @RejectMisspellings()
  @IsOptional()
  @IsText(MAX_NOTE_LENGTH)
  note?: string | null;
}

const ALWAYS_MANUAL =
  'cannot be chosen: an address that is added has the cause `manual`. Report a bounce, a complaint or an unsubscribe with ' +
  'POST /events, or import a file with POST /imports';

const NO_TOPIC =
  'cannot be given: an address that is added gets no mail at all. Opt out of a topic with PATCH /contacts/:contact/topics';

@RefuseFields({
  cause: ALWAYS_MANUAL,
  causes: ALWAYS_MANUAL,
  origin: ALWAYS_MANUAL,
  type: ALWAYS_MANUAL,
  topic: NO_TOPIC,
  topics: NO_TOPIC,
})
class EntryDto extends NoteDto {
  @ApiPropertyOptional(
    nullableTimestamp(
      'When the suppression expires, unless it has a cause that does not. If null or absent, it never expires. It can ' +
        'extend a suppression, but not shorten it.',
    ),
  )
  @OptionalParsed(parseExpiry)
  @RejectMisspellings()
  expires_at?: Date | null;

  toEntry(): ManualEntry {
    return { note: this.note ?? null, expiresAt: this.expires_at ?? null };
  }
}

const MAX_EMAILS = 100;

@ApiSchema({ name: 'AddRequest' })
export class AddDto extends EntryDto {
  @ApiProperty(text('The address to suppress.', 'ada@example.com'))
  @Parsed(parseEmailAddress)
  email!: EmailAddress;
}

@ApiSchema({ name: 'BatchAddRequest' })
export class BatchAddDto extends EntryDto {
  @ApiProperty({
    description: 'The 1 to 100 addresses to suppress. An address that is already suppressed keeps its id.',
    type: [String],
    minItems: 1,
    maxItems: MAX_EMAILS,
    example: ['ada@example.com', 'grace@example.com'],
  })
  @ParsedEach(parseEmailAddress, MAX_EMAILS, EMAILS)
  emails!: EmailAddress[];
}

export class BatchAddedDto implements WritesJson {
  readonly #ids: string[];

  constructor(records: readonly { id: string }[]) {
    this.#ids = records.map(({ id }) => id);
  }

  @ApiProperty({
    description: 'One element for each address, in the order of the request.',
    type: [SuppressionIdDto],
  })
  get data(): SuppressionIdDto[] {
    return this.#ids.map((id) => new SuppressionIdDto({ id }));
  }

  writeJson(): string[] {
    return [`{"data":[${this.#ids.map((id) => `{"object":"suppression","id":"${id}"}`).join(',')}]}`];
  }
}
