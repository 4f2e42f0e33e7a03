import { ApiProperty, ApiPropertyOptional, ApiSchema, type ApiPropertyOptions } from '@nestjs/swagger';
import { pageOf } from '../../http/page.js';
import { enumOf, integer, nullableText, objectWithId, timestamp } from '../../http/properties.js';
import { OptionalParsed } from '../../validation/field.decorators.js';
import { parseJsonBoolean } from '../../validation/parsers.js';
import { RejectUnknownFields } from '../../validation/unknown-fields.js';
import { LINE_KIND_MEANINGS, LINE_KINDS, type LineKind } from '../plans/line-kinds.js';
import {
  PLAN_STATUS_MEANINGS,
  type PlanStatus,
  type ProviderListPlan,
} from '../plans/provider-list-plan.entity.js';

const property = (kind: LineKind): ApiPropertyOptions => ({
  type: 'integer',
  description: `Lines of the kind \`${kind}\`: ${LINE_KIND_MEANINGS[kind]}.`,
  example: 0,
});

@ApiSchema({ name: 'ProviderListCounts' })
export class CountsDto {
  @ApiProperty(property('pull'))
  pull!: number;

  @ApiProperty(property('push'))
  push!: number;

  @ApiProperty(property('remove'))
  remove!: number;

  @ApiProperty(property('drift'))
  drift!: number;

  @ApiProperty(property('cannot'))
  cannot!: number;

  @ApiProperty(property('agreed'))
  agreed!: number;

  constructor(counts: Partial<Record<LineKind, number>>) {
    LINE_KINDS.forEach((kind) => (this[kind] = counts[kind] ?? 0));
  }
}

/** Measured on one core. A plan takes longer while other jobs are running. */
const PULLED_A_SECOND = 1_000;

@ApiSchema({ name: 'ApplyPlanRequest' })
@RejectUnknownFields()
export class ApplyPlanDto {
  @ApiPropertyOptional({
    type: Boolean,
    description:
      'Whether to apply a plan that stopped because the provider no longer has most of its earlier entries.',
    default: false,
  })
  @OptionalParsed(parseJsonBoolean)
  accept_stop?: boolean | null;
}

@ApiSchema({ name: 'ProviderListPlanId' })
export class PlanIdDto extends objectWithId('provider_list_plan', {
  example: '0198a5fb-2d4e-7f3c-9ba1-5c6d7e8f9a0b',
}) {}

@ApiSchema({ name: 'DeletedProviderListPlan' })
export class DeletedPlanDto extends PlanIdDto {
  @ApiProperty({ example: true })
  deleted: boolean = true;
}

@ApiSchema({ name: 'ProviderListPlan' })
export class PlanDto extends PlanIdDto {
  @ApiProperty({ ...enumOf('', PLAN_STATUS_MEANINGS), example: 'comparing' })
  status: PlanStatus;

  @ApiProperty(integer('How many entries the provider had.', 0))
  entries: number;

  @ApiProperty({ type: CountsDto, description: 'The lines by kind; zeros until the comparison has ended.' })
  counts: CountsDto;

  @ApiProperty(
    integer(
      'The lines that were applied. A change at the provider counts once the provider has accepted it.',
      0,
    ),
  )
  applied: number;

  @ApiProperty(
    integer(
      'The lines that were not applied, because their addresses, or the entries at the provider, had changed since, or because a ' +
        'switch was turned off.',
      0,
    ),
  )
  skipped: number;

  @ApiProperty(
    integer(
      'The removals beyond the cap of a run: 50, or 1 % of the entries if that is more, and at most 200. All entries of an address are ' +
        'removed by the same plan, even if that exceeds the cap. The next plan has the others again.',
      0,
    ),
  )
  capped: number;

  @ApiProperty(integer('About how long it takes to apply it.', 0))
  seconds: number;

  @ApiProperty(nullableText('Why it stopped or failed, or did not apply all lines.', null))
  reason: string | null;

  @ApiProperty(timestamp('When it was created.', '2026-01-15T09:30:00.000Z'))
  created_at: string;

  constructor(plan: ProviderListPlan) {
    super(plan);
    this.status = plan.status;
    this.entries = plan.entries;
    this.counts = new CountsDto(plan.counts);
    this.applied = plan.applied;
    this.skipped = plan.skipped;
    this.capped = plan.capped;
    this.seconds = Math.ceil((plan.counts.pull ?? 0) / PULLED_A_SECOND) + plan.pushSeconds;
    this.reason = plan.reason;
    this.created_at = plan.createdAt.toISOString();
  }
}

@ApiSchema({ name: 'ProviderListPlansPage' })
export class PlansPageDto extends pageOf(PlanDto) {}
