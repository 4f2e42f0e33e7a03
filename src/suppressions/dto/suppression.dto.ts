import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import { isoTimestampOf } from '../../database/iso-timestamp.js';
import { enumOf, nullableTimestamp, nullableUuid, objectWithId, timestamp } from '../../http/properties.js';
import {
  CAUSE_MEANINGS,
  ORIGIN_MEANINGS,
  originOf,
  sourceIdOf,
  type Cause,
  type Origin,
} from '../../ledger/cause.js';
import { createdMsOf } from '../suppression-id.js';
import type { CauseDetails, FoundSuppression } from '../suppression-lookup.js';
import type { SuppressionWithCauses } from '../suppressions.service.js';

export const ID_EXAMPLE = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';

export class SuppressionIdDto extends objectWithId('suppression', { example: ID_EXAMPLE }) {}

export class SuppressionDto extends SuppressionIdDto {
  @ApiProperty({
    description: 'The normalized address: lower case, Unicode NFC, the domain in ASCII.',
    example: 'ada@example.com',
  })
  email: string;

  @ApiProperty({ ...enumOf('Why the address is suppressed.', ORIGIN_MEANINGS), example: 'manual' })
  origin: Origin;

  @ApiProperty(
    nullableUuid('The email that triggered the suppression. Null if the origin is `manual`.', null),
  )
  source_id: string | null;

  @ApiProperty(timestamp('When the address was suppressed.', '2026-01-15T09:30:00.000Z'))
  created_at: string;

  constructor(suppression: FoundSuppression) {
    const { id, email, cause } = suppression;
    super(suppression);
    this.email = email;
    this.origin = originOf(cause);
    this.source_id = sourceIdOf(suppression);
    this.created_at = isoTimestampOf(createdMsOf(id));
  }
}

/** RFC 8259, section 7: control characters, the quotation mark and the backslash; and surrogates. */
const NEEDS_ESCAPING = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

export function writeString(text: string): string {
  return `"${escape(text)}"`;
}

function escape(text: string): string {
  return NEEDS_ESCAPING.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

/** About 20 KB of JSON. One string of 200 KB would be copied twice. */
const ELEMENTS_PER_PIECE = 100;

/** The elements of a JSON array, in pieces. */
export function writeElements<Element>(
  elements: readonly Element[],
  write: (element: Element) => string,
): string[] {
  const pieces: string[] = [];
  for (let first = 0; first < elements.length; first += ELEMENTS_PER_PIECE) {
    let piece = '';
    for (const element of elements.slice(first, first + ELEMENTS_PER_PIECE)) {
      piece += (first === 0 && piece === '' ? '' : ',') + write(element);
    }
    pieces.push(piece);
  }
  return pieces;
}

/** Writes the JSON of `SuppressionDto`. Only the address may need escaping. */
export function writeSuppression(suppression: FoundSuppression): string {
  const { id, email, cause } = suppression;
  const sourceId = sourceIdOf(suppression);
  return (
    `{"object":"suppression","id":"${id}","email":"${escape(email)}","origin":"${originOf(cause)}",` +
    `"source_id":${sourceId === null ? 'null' : `"${sourceId}"`},"created_at":"${isoTimestampOf(createdMsOf(id))}"}`
  );
}

const INCLUDES = ['causes'] as const;

export class IncludeDto {
  @ApiPropertyOptional({
    enum: INCLUDES,
    description: '`causes`: also return all causes of the suppression.',
  })
  @Expose()
  @IsOptional()
  @IsIn(INCLUDES, { message: 'must be causes' })
  include?: (typeof INCLUDES)[number];
}

export class SuppressionCauseDto {
  @ApiProperty({ ...enumOf('', CAUSE_MEANINGS), example: 'bounce' })
  cause: Cause;

  @ApiProperty(nullableUuid('The id of the email that triggered it, if any.', null))
  source_id: string | null;

  @ApiProperty(
    timestamp(
      'When it happened, as far as that was reported; otherwise when it was recorded.',
      '2026-01-15T09:30:00.000Z',
    ),
  )
  since: string;

  @ApiProperty(nullableTimestamp('When it expires. Null if never.', null))
  expires_at: string | null;

  @ApiProperty({ type: String, nullable: true, example: '550 5.1.1 no such user' })
  note: string | null;

  constructor({ cause, emailId, since, expiresAt, note }: CauseDetails) {
    this.cause = cause;
    this.source_id = emailId;
    this.since = since.toISOString();
    this.expires_at = expiresAt?.toISOString() ?? null;
    this.note = note;
  }
}

export class SuppressionWithCausesDto extends SuppressionDto {
  @ApiPropertyOptional({
    description: 'All causes, the strongest first. Only with `include=causes`.',
    type: [SuppressionCauseDto],
  })
  causes?: SuppressionCauseDto[];

  constructor({ suppression, causes }: SuppressionWithCauses) {
    super(suppression);
    this.causes = causes.map((cause) => new SuppressionCauseDto(cause));
  }
}
