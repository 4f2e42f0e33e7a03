import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import { ValidationError } from '../http/errors/errors.js';
import { PageDto } from '../http/page.js';
import { enumOf, nullableTimestamp, nullableUuid, text, timestamp } from '../http/properties.js';
import { CAUSE_MEANINGS, type Cause } from '../ledger/cause.js';
import { ActorDto } from '../ledger/evidence.dto.js';
import {
  BEGINNING,
  parseCursor,
  writeCursor,
  type FeedCursor,
  type FeedPosition,
} from '../ledger/feed-position.js';
import { SuppressionDto } from '../suppressions/dto/suppression.dto.js';
import { SUBSCRIPTION_MEANINGS, type Subscription } from '../topics/topic.entity.js';
import { IsWholeNumber, NotWith, OptionalParsed } from '../validation/field.decorators.js';
import { FEED_CHANGE_TYPE_MEANINGS, type FeedChange, type FeedChangeType } from './feed-change.js';
import type { ReadChanges } from './feed.service.js';

const MAX_CHANGES = 1_000;
const DEFAULT_CHANGES = 100;
export const MAX_WAIT_SECONDS = 25;
const TOPIC_ID_EXAMPLE = '0198a5f3-2b41-7a6e-8c15-7d9e0f1a2b3c';

@ApiSchema({ name: 'ChangesQuery' })
export class ReadChangesDto {
  @ApiPropertyOptional(
    text(
      'The `cursor` of the previous page, or the header `Changes-Cursor` of an export. Without it, the feed begins at the ' +
        'first change.',
    ),
  )
  @OptionalParsed(parseCursor)
  after?: FeedCursor;

  @ApiPropertyOptional({
    enum: ['now'],
    description:
      'Return no changes, only the cursor at the end of the feed. Cannot be combined with `after`.',
  })
  @Expose()
  @IsOptional()
  @IsIn(['now'], { message: 'must be now' })
  @NotWith('after')
  from?: 'now';

  @ApiPropertyOptional({
    type: 'integer',
    description: 'The maximum number of changes to return.',
    minimum: 1,
    maximum: MAX_CHANGES,
    default: DEFAULT_CHANGES,
  })
  @Expose()
  @IsWholeNumber(1, MAX_CHANGES)
  limit: number = DEFAULT_CHANGES;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'How many seconds to wait for a change if the page would be empty.',
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
  })
  @Expose()
  @IsWholeNumber(0, MAX_WAIT_SECONDS)
  wait: number = 0;

  /** @throws {ValidationError} when the cursor belongs to another account */
  toPosition(accountId: number): FeedPosition {
    if (this.after && this.after.accountId !== accountId) {
      throw ValidationError.ofField('after', 'must be a cursor of the account that the API key belongs to');
    }
    return this.after ?? BEGINNING;
  }
}

export class FeedTopicDto {
  @ApiProperty({ format: 'uuid', example: TOPIC_ID_EXAMPLE })
  id!: string;

  @ApiProperty({ example: 'news' })
  key!: string;

  @ApiProperty({ ...enumOf('', SUBSCRIPTION_MEANINGS), example: 'opt_out' })
  subscription!: Subscription;
}

export class FeedErasedDto {
  @ApiProperty(nullableUuid('The suppression that was erased; null if a choice was.', null))
  suppression_id!: string | null;
}

export class FeedChangeDto {
  @ApiProperty({ format: 'uuid', description: 'The id of the change, as in the history of the address.' })
  id: string;

  @ApiProperty(enumOf('', FEED_CHANGE_TYPE_MEANINGS))
  type: FeedChangeType;

  @ApiProperty()
  email: string;

  @ApiProperty({
    type: 'integer',
    description:
      'Increases with each change of the suppression of an address, and separately with each change of its preference ' +
      'for a topic, even after a removal.',
  })
  revision: number;

  @ApiProperty({
    type: SuppressionDto,
    nullable: true,
    description:
      'The suppression of the address after the change; null if it is not suppressed. If the type is `preference.changed`, ' +
      'the current suppression.',
  })
  suppression: SuppressionDto | null;

  @ApiProperty({
    ...enumOf('All causes of `suppression`, the strongest first.', CAUSE_MEANINGS),
    isArray: true,
  })
  causes: readonly Cause[];

  @ApiProperty(
    nullableTimestamp('When the causes `bounce` and `manual` of `suppression` expire. Null if never.'),
  )
  expires_at: string | null;

  @ApiProperty({
    type: FeedTopicDto,
    nullable: true,
    description:
      'The choice of the recipient, or the default of the topic if the choice was erased. Null if the list changed.',
  })
  topic: FeedTopicDto | null;

  @ApiPropertyOptional({
    type: FeedErasedDto,
    description:
      'Only if the type is `contact.erased`. Forget the address that you stored with this suppression: `email` is a name that ' +
      'stands for it. If you stored only addresses, read the list again.',
  })
  erased?: FeedErasedDto;

  @ApiProperty({ type: ActorDto })
  actor: ActorDto;

  @ApiProperty({ type: String, nullable: true })
  note: string | null;

  @ApiProperty(nullableUuid('The lift by query that made the change, or whose revert made it.', null))
  lift_id: string | null;

  @ApiProperty(timestamp('When the change was made.'))
  created_at: string;

  constructor(change: FeedChange) {
    this.id = change.id;
    this.type = change.type;
    this.email = change.email;
    this.revision = change.revision;
    this.suppression = change.suppression && new SuppressionDto(change.suppression);
    this.causes = change.causes;
    this.expires_at = change.expiresAt;
    this.topic = change.topic;
    if (change.erased) {
      this.erased = { suppression_id: change.erased.suppressionId };
    }
    this.actor = change.actor;
    this.note = change.note;
    this.lift_id = change.liftId;
    this.created_at = change.createdAt;
  }
}

export class ChangesPageDto extends PageDto {
  @ApiProperty({ description: 'Pass it as `after` to get the next page.' })
  cursor: string;

  @ApiProperty({ description: 'Oldest first.', type: [FeedChangeDto] })
  data: FeedChangeDto[];

  constructor(accountId: number, { changes, position, hasMore }: ReadChanges) {
    super(hasMore);
    this.cursor = writeCursor({ accountId, ...position });
    this.data = changes.map((change) => new FeedChangeDto(change));
  }
}
