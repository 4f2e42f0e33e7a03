import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { allows, type Scope } from '../../api-keys/scopes.js';
import {
  parseEmailAddress,
  parseEmailInQuery,
  type EmailAddress,
} from '../../email-address/email-address.js';
import { LimitDto, pageOf, type Page } from '../../http/page.js';
import { enumOf, integer, nullableText, text, timestamp } from '../../http/properties.js';
import { CAUSE_MEANINGS, type Cause } from '../../ledger/cause.js';
import { ConsentDto, parseConsent } from '../../ledger/evidence.dto.js';
import type { Consent } from '../../ledger/evidence.js';
import {
  EMAILS,
  OptionalOneOf,
  OptionalParsed,
  Parsed,
  ParsedEach,
} from '../../validation/field.decorators.js';
import { Invalid } from '../../validation/parsers.js';
import { RejectUnknownFields } from '../../validation/unknown-fields.js';
import { parseCursor, writeCursor, type RowKey } from '../row-key.js';
import {
  REMOVAL_STATUS_MEANINGS,
  type ListRemoval,
  type ListRemovalStatus,
  type NewListRemovals,
} from '../push/list-removals.service.js';
import {
  OPEN_STATUSES,
  PUSH_STATUS_MEANINGS,
  type OpenPushStatus,
} from '../push/provider-list-push.entity.js';
import type { OpenPush } from '../push/pushes.repository.js';

const ACTION_MEANINGS = { add: 'the entry is added', remove: 'the entry is removed' } as const;

@ApiSchema({ name: 'ProviderListPushesQuery' })
export class ListPushesDto extends LimitDto {
  @ApiPropertyOptional(enumOf('', PUSH_STATUS_MEANINGS))
  @OptionalOneOf(OPEN_STATUSES)
  status?: OpenPushStatus;

  @ApiPropertyOptional(text('Only changes of this address.'))
  @OptionalParsed(parseEmailInQuery)
  email?: EmailAddress;

  @ApiPropertyOptional(text('The `cursor` of the previous page.'))
  @OptionalParsed((input) => parseCursor(input, OPEN_STATUSES))
  after?: RowKey;
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
export class PushesPageDto extends pageOf(
  PushDto,
  'Failed changes first, then pending ones; each group is sorted by address.',
) {
  @ApiProperty(nullableText('Where the next page begins; null after the last one.', null))
  cursor: string | null;

  constructor(page: Page<OpenPush>) {
    super(page);
    const last = page.elements.at(-1);
    this.cursor = page.hasMore && last ? writeCursor(last.status, last.email, last.list, last.address) : null;
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

const MAX_SIZE = 100;

@ApiSchema({ name: 'ProviderListRemovalsRequest' })
@RejectUnknownFields()
export class CreateRemovalsDto {
  @ApiProperty({
    description: 'The 1 to 100 addresses whose entries are to be removed.',
    type: [String],
    minItems: 1,
    maxItems: MAX_SIZE,
    example: ['ada@example.com'],
  })
  @ParsedEach(parseEmailAddress, MAX_SIZE, EMAILS)
  emails!: EmailAddress[];

  @ApiProperty({
    type: ConsentDto,
    description: 'The evidence that the provider may mail these addresses again.',
  })
  @Parsed((input) => (input === null ? new Invalid('must have kind and reference') : parseConsent(input)))
  consent!: Consent;

  toRemovals(scopes: readonly Scope[]): NewListRemovals {
    const { emails, consent } = this;
    return { emails, consent, mayLift: allows(scopes, 'suppressions:lift') };
  }
}

@ApiSchema({ name: 'ProviderListRemoval' })
export class ListRemovalDto {
  @ApiProperty({ enum: ['provider_list_removal'], example: 'provider_list_removal' })
  object = 'provider_list_removal' as const;

  @ApiProperty({ example: 'ada@example.com' })
  email: string;

  @ApiProperty({ ...enumOf('', REMOVAL_STATUS_MEANINGS), example: 'queued' })
  status: ListRemovalStatus;

  @ApiProperty({
    description: "The provider's names of the lists that get a request.",
    example: ['suppressions'],
  })
  lists: string[];

  constructor({ email, status, lists }: ListRemoval) {
    this.email = email;
    this.status = status;
    this.lists = lists;
  }
}

@ApiSchema({ name: 'ProviderListRemovals' })
export class ListRemovalsDto {
  @ApiProperty({ enum: ['list'], example: 'list' })
  object = 'list' as const;

  @ApiProperty({ type: [ListRemovalDto], description: 'One for each address.' })
  data: ListRemovalDto[];

  constructor(removals: ListRemoval[]) {
    this.data = removals.map((removal) => new ListRemovalDto(removal));
  }
}
