import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { LimitDto, PageDto, type Page } from '../../http/page.js';
import { enumOf, nullableText, timestamp } from '../../http/properties.js';
import { CAUSE_MEANINGS } from '../../ledger/cause.js';
import { OptionalOneOf, OptionalParsed } from '../../validation/field.decorators.js';
import { Invalid } from '../../validation/parsers.js';
import { LINE_STATUSES, type LiftedCause, type LineReason, type LineStatus } from '../lift.js';
import type { FoundLine } from '../lift-lines.repository.js';

const STATUS_MEANINGS: Readonly<Record<LineStatus, string>> = {
  planned: 'the cause will be lifted',
  applied: 'the cause was lifted',
  skipped: 'the cause was not lifted: see `reason`',
  reverted: 'the cause was put back',
};
const REASON_MEANINGS: Readonly<Record<LineReason, string>> = {
  absent: 'not lifted: the suppression no longer has the cause',
  changed: 'not lifted: the suppression has changed since the count',
  failed_again: 'not lifted: the address bounced again after the lift was created',
  listed: 'not restored: the suppression has the cause again',
  removed: 'not restored: it was removed after the lift',
  erased: 'not restored: the address was erased',
  expired: 'not restored: it would have expired meanwhile',
};
const { bounce, manual } = CAUSE_MEANINGS;

@ApiSchema({ name: 'LiftLinesQuery' })
export class LiftLinesDto extends LimitDto {
  @ApiPropertyOptional({ type: String, description: 'The `cursor` of the previous page.' })
  @OptionalParsed(parseNumber)
  after?: number;

  @ApiPropertyOptional(enumOf('Only lines with this status.', STATUS_MEANINGS))
  @OptionalOneOf(LINE_STATUSES)
  status?: LineStatus;
}

export class LiftLineDto {
  @ApiProperty({ example: 'ada@example.com' })
  email: string;

  @ApiProperty(enumOf('', { bounce, manual }))
  cause: LiftedCause;

  @ApiProperty(timestamp('When the cause was recorded.'))
  created_at: string;

  @ApiProperty(nullableText('What the server said, or the note of the change.'))
  diagnostic: string | null;

  @ApiProperty(enumOf('', STATUS_MEANINGS))
  status: LineStatus;

  @ApiProperty({ ...enumOf('', REASON_MEANINGS), nullable: true })
  reason: LineReason | null;

  constructor({ email, cause, createdAt, diagnostic, status, reason }: FoundLine) {
    this.email = email;
    this.cause = cause;
    this.created_at = createdAt.toISOString();
    this.diagnostic = diagnostic;
    this.status = status;
    this.reason = reason;
  }
}

@ApiSchema({ name: 'LiftLineList' })
export class LiftLinesPageDto extends PageDto {
  @ApiProperty({
    ...nullableText('Pass it as `after` to get the next page. Null if the page is empty.'),
    example: '20',
  })
  cursor: string | null;

  @ApiProperty({ description: 'In the order in which the causes were recorded.', type: [LiftLineDto] })
  data: LiftLineDto[];

  constructor({ elements, hasMore }: Page<FoundLine>) {
    super(hasMore);
    this.cursor = elements.at(-1)?.number.toString() ?? null;
    this.data = elements.map((line) => new LiftLineDto(line));
  }
}

function parseNumber(input: unknown): number | Invalid {
  return typeof input === 'string' && /^\d{1,7}$/.test(input)
    ? Number(input)
    : new Invalid('must be a cursor that GET /lifts/:lift/lines returned');
}
