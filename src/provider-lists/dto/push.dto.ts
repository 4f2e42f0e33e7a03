import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { LimitDto, PageDto, type Page } from '../../http/page.js';
import { integer, nullableText, text, timestamp } from '../../http/properties.js';
import { CAUSE_MEANINGS, type Cause } from '../../ledger/cause.js';
import { enumOf } from '../../validation/enum-of.js';
import { OptionalOneOf, OptionalParsed } from '../../validation/field.decorators.js';
import { parseKeyCursor, writeKeyCursor } from '../plans/key-cursor.js';
import { PUSH_STATUS_MEANINGS, type OpenPushStatus } from '../push/provider-list-push.entity.js';
import type { OpenPosition, OpenPush } from '../push/pushes.repository.js';

const ACTION_MEANINGS = { add: 'the entry is added', remove: 'the entry is removed' } as const;

@ApiSchema({ name: 'ProviderListPushesQuery' })
export class ListPushesDto extends LimitDto {
  @ApiPropertyOptional(enumOf('', PUSH_STATUS_MEANINGS))
  @OptionalOneOf(Object.keys(PUSH_STATUS_MEANINGS))
  status?: OpenPushStatus;

  @ApiPropertyOptional(text('The `cursor` of the previous page.'))
  @OptionalParsed((input) => parseKeyCursor(input, 4))
  after?: OpenPosition;
}

@ApiSchema({ name: 'ProviderListPush' })
export class PushDto {
  @ApiProperty(text('As the provider spells it.', 'ada@example.com'))
  email: string;

  @ApiProperty({ ...enumOf('', ACTION_MEANINGS), example: 'remove' })
  action: keyof typeof ACTION_MEANINGS;

  @ApiProperty(text("The provider's name of the list.", 'suppressions'))
  list: string;

  @ApiProperty({ ...enumOf('', CAUSE_MEANINGS), example: 'bounce' })
  cause: Cause;

  @ApiProperty({ ...enumOf('', PUSH_STATUS_MEANINGS), example: 'pending' })
  status: OpenPushStatus;

  @ApiProperty(integer('How often it was tried; each attempt looks the entry up first.', 1))
  attempts: number;

  @ApiProperty(nullableText('Why the last attempt failed, or why it waits.', null))
  error: string | null;

  @ApiProperty(timestamp('When it is sent, at the earliest.', '2026-01-15T09:30:00.000Z'))
  next_attempt_at: string;

  @ApiProperty(timestamp('When it was decided.', '2026-01-15T09:30:00.000Z'))
  created_at: string;

  constructor(push: OpenPush) {
    this.email = push.address;
    this.action = push.action;
    this.list = push.list;
    this.cause = push.cause;
    this.status = push.status;
    this.attempts = push.attempts;
    this.error = push.error;
    this.next_attempt_at = push.nextAttemptAt.toISOString();
    this.created_at = push.createdAt.toISOString();
  }
}

@ApiSchema({ name: 'ProviderListPushesPage' })
export class PushesPageDto extends PageDto {
  @ApiProperty({
    description: 'Failed changes first, then pending ones; each group is sorted by address.',
    type: [PushDto],
  })
  data: PushDto[];

  @ApiProperty(nullableText('Where the next page begins; null after the last one.', null))
  cursor: string | null;

  constructor({ elements, hasMore }: Page<OpenPush>) {
    super(hasMore);
    this.data = elements.map((push) => new PushDto(push));
    const last = elements.at(-1);
    this.cursor = hasMore && last ? writeKeyCursor([last.status, last.email, last.list, last.address]) : null;
  }
}

@ApiSchema({ name: 'ProviderListRetry' })
export class RetryDto {
  @ApiProperty({ enum: ['provider_list_retry'], example: 'provider_list_retry' })
  object = 'provider_list_retry' as const;

  @ApiProperty(integer('How many are sent again. If it is 5,000 or more, repeat the request.', 2))
  retried: number;

  constructor(retried: number) {
    this.retried = retried;
  }
}
