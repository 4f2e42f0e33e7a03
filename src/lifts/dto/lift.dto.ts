import { ApiProperty, ApiSchema, OmitType } from '@nestjs/swagger';
import { CursorDto, pageOf } from '../../http/page.js';
import {
  enumOf,
  integer,
  nullableText,
  nullableTimestamp,
  nullableUuid,
  objectWithId,
  timestamp,
  uuid,
} from '../../http/properties.js';
import { CAUSE_MEANINGS } from '../../ledger/cause.js';
import { MAX_GROUPS } from '../lift-lines.repository.js';
import { namesOf, type LiftedCause } from '../lift.js';
import { LIFT_STATUS_MEANINGS, type LiftStatus } from '../lift.entity.js';
import { LINE_DAYS, PLAN_HOURS, type FoundLift } from '../lifts.repository.js';
import type { LiftWithExamples } from '../lifts.service.js';
import { LiftLineDto } from './lift-line.dto.js';

const { bounce, manual } = CAUSE_MEANINGS;

export class LiftCursorDto extends OmitType(CursorDto, ['before']) {}

export class LiftFailureDto {
  @ApiProperty({ description: 'What is wrong.', example: 'lift_too_large' })
  code!: string;

  @ApiProperty({ description: 'A message for people.' })
  message!: string;
}

export class LiftDomainDto {
  @ApiProperty({ example: 'example.com' })
  domain!: string;

  @ApiProperty({ type: 'integer', example: 1_250 })
  count!: number;
}

export class LiftDiagnosticDto {
  @ApiProperty(
    nullableText(
      'What the servers said, or the note of the change, without addresses, hosts, and words with digits. Null if there is neither.',
      'The email account that you tried to reach does not exist',
    ),
  )
  diagnostic!: string | null;

  @ApiProperty({ type: 'integer', example: 1_250 })
  count!: number;
}

export class LiftDto extends objectWithId(
  'lift',
  uuid('The id of the lift, which the history of an address shows.'),
) {
  @ApiProperty(enumOf('', LIFT_STATUS_MEANINGS))
  status: LiftStatus;

  @ApiProperty(enumOf('The cause to lift.', { bounce, manual }))
  cause: LiftedCause;

  @ApiProperty(nullableTimestamp('The conditions, as in the request. Null if absent.'))
  created_after: string | null;

  @ApiProperty(nullableTimestamp('See `created_after`.'))
  created_before: string | null;

  @ApiProperty({ type: [String], nullable: true, description: 'See `created_after`.' })
  domains: string[] | null;

  @ApiProperty(nullableUuid('See `created_after`.'))
  source: string | null;

  @ApiProperty(nullableUuid('See `created_after`.'))
  actor: string | null;

  @ApiProperty(nullableText('See `created_after`.'))
  diagnostic: string | null;

  @ApiProperty({ type: 'integer', description: 'How many suppressions were found so far.' })
  count: number;

  @ApiProperty({
    type: [LiftDomainDto],
    description: `The ${MAX_GROUPS} domains with the most suppressions. Empty until the count is complete.`,
  })
  by_domain: LiftDomainDto[];

  @ApiProperty({
    type: [LiftDiagnosticDto],
    description: `The ${MAX_GROUPS} most frequent diagnostics. Empty while they are counted.`,
  })
  by_diagnostic: LiftDiagnosticDto[];

  @ApiProperty({
    type: [LiftLineDto],
    description:
      'Up to 20 of them, from all parts of the lift. Empty in lists of lifts, and after the lines were deleted.',
  })
  examples: LiftLineDto[];

  @ApiProperty(integer('How many addresses have bounced again since the cause was recorded.'))
  failed_again: number;

  @ApiProperty(
    integer('How many addresses had received mail in the 30 days before, as far as deliveries are reported.'),
  )
  delivered_before: number;

  @ApiProperty({ type: 'integer', description: 'How many were lifted.' })
  applied: number;

  @ApiProperty(integer('How many were left as they were, because they had changed meanwhile.'))
  skipped: number;

  @ApiProperty({ type: 'integer', description: 'How many were put back.' })
  reverted: number;

  @ApiProperty({ type: LiftFailureDto, nullable: true, description: 'Why a step stopped before its end.' })
  error: LiftFailureDto | null;

  @ApiProperty(timestamp('When the lift was created.'))
  created_at: string;

  @ApiProperty(nullableTimestamp(`Until when it can be applied: ${PLAN_HOURS} hours after the count.`))
  expires_at: string | null;

  @ApiProperty(
    nullableTimestamp(
      `Until when it can be reverted: ${LINE_DAYS} days after it was applied. Then its lines are deleted.`,
    ),
  )
  revertible_until: string | null;

  constructor(lift: FoundLift & Partial<Pick<LiftWithExamples, 'examples'>>) {
    super(lift);
    const { count, apply, revert } = lift.progress;
    const { examples = [], largest, countedAt, linesUntil, error } = lift;
    const names = namesOf(lift.query);
    this.status = lift.status;
    this.cause = names.cause;
    this.created_after = names.created_after;
    this.created_before = names.created_before;
    this.domains = names.domains;
    this.source = names.source;
    this.actor = names.actor;
    this.diagnostic = names.diagnostic;
    this.count = count.lines;
    this.by_domain = largest?.domains ?? [];
    this.by_diagnostic = largest?.diagnostics ?? [];
    this.examples = examples.map((line) => new LiftLineDto(line));
    this.failed_again = count.failedAgain;
    this.delivered_before = count.deliveredBefore;
    this.applied = apply?.applied ?? 0;
    this.skipped = apply?.skipped ?? 0;
    this.reverted = revert?.reverted ?? 0;
    this.error = error && { code: error.code, message: error.message };
    this.created_at = lift.createdAt.toISOString();
    this.expires_at = lift.status === 'ready' ? expiryOf(countedAt!) : null;
    this.revertible_until = lift.status === 'applied' ? (linesUntil?.toISOString() ?? null) : null;
  }
}

@ApiSchema({ name: 'LiftList' })
export class LiftsPageDto extends pageOf(LiftDto) {}

function expiryOf(countedAt: Date): string {
  return new Date(countedAt.getTime() + PLAN_HOURS * 60 * 60 * 1000).toISOString();
}
