import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema, OmitType } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsOptional } from 'class-validator';
import { CursorDto, limitWithDefault, MAX_LIMIT, PageDto, type Page } from '../http/page.js';
import { enumOf, objectWithId } from '../http/properties.js';
import { refPipe } from '../http/pipes.js';
import {
  IsParsed,
  IsText,
  OneOf,
  OptionalOneOf,
  OptionalParsed,
  Parse,
  Parsed,
} from '../validation/field.decorators.js';
import { Invalid, isName } from '../validation/parsers.js';
import { RejectMisspellings } from '../validation/unknown-fields.js';
import { parseTopicKey, parseTopicRef } from './topic-ref.js';
import {
  SUBSCRIPTION_MEANINGS,
  SUBSCRIPTIONS,
  VISIBILITIES,
  VISIBILITY_MEANINGS,
  type Subscription,
  type Topic,
  type Visibility,
} from './topic.entity.js';
import type { NewTopic, TopicChanges } from './topics.service.js';

/** Reads how a path names a topic. */
export const TopicRefPipe = refPipe('topic', parseTopicRef);

const MAX_NAME_LENGTH = 50;
const MAX_DESCRIPTION_LENGTH = 200;

const NAME = {
  type: String,
  description: 'The name that recipients see.',
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  example: 'News',
};

const DESCRIPTION = {
  type: String,
  description: 'A description for recipients.',
  maxLength: MAX_DESCRIPTION_LENGTH,
  nullable: true,
  example: 'What is new, once a month',
};

const VISIBILITY = {
  ...enumOf('', VISIBILITY_MEANINGS),
  example: 'public' as const,
};

const DEFAULT_SUBSCRIPTION = {
  ...enumOf(
    'The subscription of addresses without a choice. It cannot be changed later.',
    SUBSCRIPTION_MEANINGS,
  ),
  example: 'opt_in' as const,
};

function parseName(input: unknown): string | Invalid {
  return typeof input === 'string' && isName(input) && [...input].length <= MAX_NAME_LENGTH
    ? input
    : new Invalid(
        `must have 1 to ${MAX_NAME_LENGTH} characters, not only spaces, without control characters or line breaks`,
      );
}

const ID_EXAMPLE = '0198a5f3-2b41-7a6e-8c15-7d9e0f1a2b3c';

/** The default limit is longer than that of other lists: the official Node client cannot ask for a second page. */
export class TopicCursorDto extends CursorDto {
  @ApiPropertyOptional(limitWithDefault(MAX_LIMIT))
  override limit: number = MAX_LIMIT;
}

export class TopicIdDto extends objectWithId('topic', { example: ID_EXAMPLE }) {}

export class TopicDto extends TopicIdDto {
  @ApiProperty({ example: 'news' })
  key: string;

  @ApiProperty({ example: 'News' })
  name: string;

  @ApiProperty({ type: String, nullable: true, example: 'What is new, once a month' })
  description: string | null;

  @ApiProperty(DEFAULT_SUBSCRIPTION)
  default_subscription: Subscription;

  @ApiProperty(VISIBILITY)
  visibility: Visibility;

  @ApiProperty({ format: 'date-time', example: '2026-01-15T09:30:00.000Z' })
  created_at: string;

  constructor(topic: Topic) {
    super(topic);
    this.key = topic.key;
    this.name = topic.name;
    this.description = topic.description;
    this.default_subscription = topic.defaultSubscription;
    this.visibility = topic.visibility;
    this.created_at = topic.createdAt.toISOString();
  }
}

export class RemovedTopicDto extends TopicIdDto {
  @ApiProperty({ example: true })
  deleted: boolean = true;
}

export class ListedTopicDto extends OmitType(TopicDto, ['object'] as const) {}

export class TopicsPageDto extends PageDto {
  @ApiProperty({ description: 'Newest first.', type: [ListedTopicDto] })
  data: ListedTopicDto[];

  constructor({ elements, hasMore }: Page<Topic>) {
    super(hasMore);
    this.data = elements.map((topic) => {
      const { object: _object, ...listed } = new TopicDto(topic);
      return listed;
    });
  }
}

@ApiSchema({ name: 'CreateTopicRequest' })
export class CreateTopicDto {
  @ApiProperty(NAME)
  @Parsed(parseName, `must have 1 to ${MAX_NAME_LENGTH} characters`)
  name!: string;

  @ApiProperty(DEFAULT_SUBSCRIPTION)
  @OneOf(SUBSCRIPTIONS)
  default_subscription!: Subscription;

  @ApiPropertyOptional({
    type: String,
    description:
      'The name of the topic in code, unique in the account. If absent, it is derived from `name`.',
    pattern: '^[a-z0-9.-]{1,64}$',
    example: 'news',
  })
  @OptionalParsed(parseTopicKey)
  @RejectMisspellings()
  key?: string | null;

  @ApiPropertyOptional(DESCRIPTION)
  @RejectMisspellings()
  @IsOptional()
  @IsText(MAX_DESCRIPTION_LENGTH)
  description?: string | null;

  @ApiPropertyOptional({ ...VISIBILITY, default: 'private' })
  @OptionalOneOf(VISIBILITIES)
  @RejectMisspellings()
  visibility?: Visibility | null;

  toNewTopic(): NewTopic {
    const { name, key, description = null, default_subscription: defaultSubscription } = this;
    const visibility = this.visibility ?? 'private';
    return { name, key: key ?? undefined, description, defaultSubscription, visibility };
  }
}

/** Refuses a field that cannot be changed. */
function Immutable(): PropertyDecorator {
  const message = 'must be left out: it cannot be changed';
  return applyDecorators(
    Expose(),
    Parse(() => new Invalid(message)),
    IsOptional(),
    IsParsed('isImmutable', message),
  );
}

@ApiSchema({ name: 'UpdateTopicRequest' })
export class UpdateTopicDto {
  @ApiPropertyOptional(NAME)
  @OptionalParsed(parseName)
  @RejectMisspellings()
  name?: string | null;

  @ApiPropertyOptional({ ...DESCRIPTION, description: 'A description for recipients. Null removes it.' })
  @RejectMisspellings()
  @IsOptional()
  @IsText(MAX_DESCRIPTION_LENGTH)
  description?: string | null;

  @ApiPropertyOptional(VISIBILITY)
  @OptionalOneOf(VISIBILITIES)
  @RejectMisspellings()
  visibility?: Visibility;

  @Immutable()
  default_subscription?: never;

  @Immutable()
  key?: never;

  toChanges(): TopicChanges {
    const { name, description, visibility } = this;
    return { name: name ?? undefined, description, visibility: visibility ?? undefined };
  }
}
