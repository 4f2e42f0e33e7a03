import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, ValidateIf } from 'class-validator';
import type { Caller } from '../api-keys/caller.js';
import { enumOf, nullableText, objectWithId, text } from '../http/properties.js';
import { requestedPurpose } from '../suppressions/checks/check-request.js';
import { parseTopicRef, type TopicRef } from '../topics/topic-ref.js';
import { IsText, NotWith, OneOf, OptionalParsed, Parsed } from '../validation/field.decorators.js';
import { parseBoolean } from '../validation/parsers.js';
import type { Scrub, ScrubStatus } from './scrub.entity.js';
import { SCRUB_MODES, type ScrubMode, type ScrubOptions } from './scrubs.service.js';

const MAX_COLUMN_LENGTH = 1_000;

@ApiSchema({ name: 'ScrubQuery' })
export class CreateScrubDto {
  @ApiPropertyOptional({
    enum: SCRUB_MODES,
    description:
      '`filter`: leave out the rows that must not be mailed. `annotate`: add the columns `verdict` and `cause` to all rows.',
    default: 'filter',
  })
  @OneOf(SCRUB_MODES)
  mode: ScrubMode = 'filter';

  @ApiPropertyOptional({
    type: String,
    description:
      'The name of the column with the addresses. Required if no column, or more than one, is called `email`, `Email Address`, ' +
      '`mail`, `address`, or `recipient`.',
  })
  @IsOptional()
  @IsText(MAX_COLUMN_LENGTH)
  column?: string;

  @ApiPropertyOptional(text('The id or the key of the topic that the email belongs to.'))
  @OptionalParsed(parseTopicRef)
  topic?: TopicRef;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'Whether the email is transactional, as in a check. Requires the scope `suppressions:check-transactional`. ' +
      'Cannot be combined with `topic`.',
  })
  @Parsed(parseBoolean)
  @ValidateIf((_dto, value) => value !== undefined && value !== false)
  @NotWith('topic')
  transactional?: boolean;

  /** @throws {RestrictedApiKeyError} */
  toOptions(caller: Caller): ScrubOptions {
    const { mode, column } = this;
    return { mode, column, purpose: requestedPurpose(caller, this) };
  }
}

export class ScrubDto extends objectWithId('scrub', {}) {
  @ApiProperty({
    ...enumOf('', {
      running: 'the file is being read',
      completed: 'the whole file was returned',
      failed: 'at most a part of the file was returned, and the connection was cut',
    } satisfies Record<ScrubStatus, string>),
  })
  status: ScrubStatus;

  @ApiProperty({ type: 'integer', description: 'Recipients, without the header and blank lines.' })
  rows: number;

  @ApiProperty({ type: 'integer' })
  send: number;

  @ApiProperty({ type: 'integer' })
  suppressed: number;

  @ApiProperty({ type: 'integer', description: 'Rows whose address is invalid.' })
  invalid: number;

  @ApiProperty(nullableText('The problem with the file and its line, or with the client.'))
  problem: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  completed_at: string | null;

  constructor(scrub: Scrub) {
    super(scrub);
    const { status, send, suppressed, invalid, problem, createdAt, completedAt } = scrub;
    this.status = status;
    this.rows = send + suppressed + invalid;
    this.send = send;
    this.suppressed = suppressed;
    this.invalid = invalid;
    this.problem = problem;
    this.created_at = createdAt.toISOString();
    this.completed_at = completedAt?.toISOString() ?? null;
  }
}
