import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { pageOf } from '../../http/page.js';
import {
  enumOf,
  integer,
  nullableText,
  nullableTimestamp,
  objectWithId,
  text,
  timestamp,
} from '../../http/properties.js';
import { Invalid } from '../../validation/parsers.js';
import type { ProviderList } from '../provider-list.entity.js';
import type { ListWithPlan } from '../provider-lists.service.js';
import { LIST_PROVIDER_MEANINGS, type ListProviderName } from '../providers/providers.js';
import type { PushBacklog } from '../push/pushes.repository.js';
import { CountsDto } from './plan.dto.js';

export const INTERVAL_PATTERN = /^([1-9]\d{0,2})([hd])$/;
const DAY_HOURS = 24;
const MAX_HOURS = 30 * DAY_HOURS;

const INTERVAL_RULE = 'must be from 1h to 30d, in hours or days, such as 6h or 1d';

/** @returns hours */
export function parseInterval(input: unknown): number | Invalid {
  const [, number, unit] = (typeof input === 'string' && INTERVAL_PATTERN.exec(input)) || [];
  const hours = Number(number) * (unit === 'd' ? DAY_HOURS : 1);
  return hours <= MAX_HOURS ? hours : new Invalid(INTERVAL_RULE);
}

export function formatInterval(hours: number): string {
  return hours % DAY_HOURS === 0 ? `${hours / DAY_HOURS}d` : `${hours}h`;
}

const LIST_STATUS_MEANINGS = {
  active: 'plans are made at the interval, and changes are pushed',
  paused: 'the pushes wait and go on by themselves; `last_error` says why',
  stopped: 'the provider refused the credentials; replace them, and the list goes on',
} as const;

type ListStatus = keyof typeof LIST_STATUS_MEANINGS;

export function statusOf({ stoppedAt, pushPausedUntil }: ProviderList): ListStatus {
  if (stoppedAt) {
    return 'stopped';
  }
  return pushPausedUntil && pushPausedUntil.getTime() > Date.now() ? 'paused' : 'active';
}

/** Why the pushes wait if the list is paused. Otherwise, why the last plan failed or stopped, or the last push failed. */
export function errorOf(list: ProviderList): string | null {
  const { lastError, pushError } = list;
  return statusOf(list) === 'paused' ? (pushError ?? lastError) : (lastError ?? pushError);
}

export class ProviderListIdDto extends objectWithId('provider_list', {
  example: '0198a5fa-1c3d-7e2b-8a90-4b5c6d7e8f90',
}) {}

export class DeletedProviderListDto extends ProviderListIdDto {
  @ApiProperty({ example: true })
  deleted: boolean = true;
}

@ApiSchema({ name: 'ProviderListPushBacklog' })
export class PushBacklogDto {
  @ApiProperty(integer('The number of changes that were not sent yet or will be retried; at most 10,000.', 0))
  pending: number;

  @ApiProperty(integer('How many wait for `POST …/pushes/retry`; at most 10,000.', 0))
  failed: number;

  @ApiProperty(
    integer(
      'How many changes of the list were not examined yet, because the provider list is paused or stopped. Those that concern ' +
        'it become `pending`.',
      0,
    ),
  )
  unexamined: number;

  @ApiProperty(nullableTimestamp('When the oldest of them was decided.', null))
  oldest_at: string | null;

  constructor({ pending, failed, unexamined, oldestAt }: PushBacklog) {
    this.pending = pending;
    this.failed = failed;
    this.unexamined = unexamined;
    this.oldest_at = oldestAt?.toISOString() ?? null;
  }
}

export class ProviderListDto extends ProviderListIdDto {
  @ApiProperty({ ...enumOf('', LIST_PROVIDER_MEANINGS), example: 'ses' })
  provider: ListProviderName;

  @ApiProperty({ example: 'SES in Ireland' })
  name: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'What the list is limited to at the provider.',
    example: { region: 'eu-west-1' },
  })
  scope: Record<string, string>;

  @ApiProperty({
    ...nullableText('The id of the source that the provider sends its events to.', null),
    format: 'uuid',
  })
  source: string | null;

  @ApiProperty({ description: 'Whether other provider lists may have the same scope.', example: false })
  shared: boolean;

  @ApiProperty({ description: 'Whether scheduled plans change the list here.', example: false })
  pull: boolean;

  @ApiProperty({ description: 'Whether what is suppressed here is added at the provider.', example: false })
  push_additions: boolean;

  @ApiProperty({
    description:
      'Whether what is lifted here is removed at the provider, unless a person has to confirm the removal.',
    example: false,
  })
  push_removals: boolean;

  @ApiProperty({ description: 'Whether unsubscribes are added at the provider, too.', example: false })
  push_unsubscribes: boolean;

  @ApiProperty(text('How often a plan is made: hours or days.', '1d'))
  interval: string;

  @ApiProperty({ ...enumOf('', LIST_STATUS_MEANINGS), example: 'active' })
  status: ListStatus;

  @ApiProperty(nullableTimestamp('When the list was last read and compared.', null))
  last_success_at: string | null;

  @ApiProperty(
    nullableText('Why the last plan failed or stopped, or why the pushes wait; otherwise null.', null),
  )
  last_error: string | null;

  @ApiProperty({
    type: CountsDto,
    nullable: true,
    description: 'The lines of the last comparison, by kind. Null before the first one.',
  })
  counts: CountsDto | null;

  @ApiProperty({ type: PushBacklogDto, description: 'What was not pushed to the provider yet.' })
  pushes: PushBacklogDto;

  @ApiProperty(nullableTimestamp('When the next plan is made; null if the list is stopped.', null))
  next_plan_at: string | null;

  @ApiProperty(timestamp('When it was created.', '2026-01-15T09:30:00.000Z'))
  created_at: string;

  constructor({ list, plan, backlog }: ListWithPlan) {
    super(list);
    this.provider = list.provider;
    this.name = list.name;
    this.scope = list.scope;
    this.source = list.sourceId;
    this.shared = list.shared;
    this.pull = list.pull;
    this.push_additions = list.pushAdditions;
    this.push_removals = list.pushRemovals;
    this.push_unsubscribes = list.pushUnsubscribes;
    this.pushes = new PushBacklogDto(backlog);
    this.interval = formatInterval(list.intervalHours);
    this.status = statusOf(list);
    this.last_success_at = list.lastSuccessAt?.toISOString() ?? null;
    this.last_error = errorOf(list);
    this.counts = plan && new CountsDto(plan.counts);
    this.next_plan_at = list.stoppedAt ? null : list.nextRunAt.toISOString();
    this.created_at = list.createdAt.toISOString();
  }
}

export class ProviderListsPageDto extends pageOf(ProviderListDto) {}
