import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema, OmitType } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import { CursorDto, MAX_LIMIT, PageDto, type Page } from '../../http/page.js';
import { Invalid } from '../../validation/invalid.js';
import { isName } from '../../validation/name.js';
import { IsParsed, Parse } from '../../validation/parse.decorator.js';
import { RejectMisspellings } from '../../validation/reject-misspellings.decorator.js';
import { IsText } from '../../validation/text.decorator.js';
import { parseTopicKey } from '../topic-key.js';
import {
  VISIBILITY_MEANINGS,
  SUBSCRIPTION_MEANINGS,
  SUBSCRIPTIONS,
  VISIBILITIES,
  type Subscription,
  type Topic,
  type Visibility,
} from '../topic.entity.js';
import type { NewTopic, TopicChanges } from '../topics.service.js';
import { enumOf } from '../../validation/enum-of.js';

const MAX_NAME_LENGTH = 50;
const MAX_DESCRIPTION_LENGTH = 200;
const ID_EXAMPLE = '0198a5f3-2b41-7a6e-8c15-7d9e0f1a2b3c';

const NAME = {
  type: String,
  description: 'The name that recipients see.',
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  example: 'News',
};
const DESCRIPTION = {
  type: String,
  description: 'What recipients can expect.',
  maxLength: MAX_DESCRIPTION_LENGTH,
  nullable: true,
  example: 'What is new, once a month',
};
const VISIBILITY = {
  ...enumOf('', VISIBILITY_MEANINGS),
  example: 'public' as const,
};
const DEFAULT_SUBSCRIPTION = {
  ...enumOf('What holds for an address that never chose. It cannot be changed later.', SUBSCRIPTION_MEANINGS),
  example: 'opt_in' as const,
};

function parseName(input: unknown): string | Invalid {
  return typeof input === 'string' && isName(input) && [...input].length <= MAX_NAME_LENGTH
    ? input
    : new Invalid(`must have 1 to ${MAX_NAME_LENGTH} characters, without control characters or line breaks`);
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

@ApiSchema({ name: 'CreateTopicRequest' })
export class CreateTopicDto {
  @ApiProperty(NAME)
  @Expose()
  @Parse(parseName)
  @IsParsed('isTopicName', `must have 1 to ${MAX_NAME_LENGTH} characters`)
  name!: string;

  @ApiProperty(DEFAULT_SUBSCRIPTION)
  @Expose()
  @IsIn(SUBSCRIPTIONS, { message: `must be one of ${SUBSCRIPTIONS.join(', ')}` })
  default_subscription!: Subscription;

  @ApiPropertyOptional({
    type: String,
    description:
      'The name of the topic in code, unique among the topics of the account. Made from `name` if absent.',
    pattern: '^[a-z0-9.-]{1,64}$',
    example: 'news',
  })
  @Expose()
  @RejectMisspellings()
  @Parse(parseTopicKey)
  @IsOptional()
  @IsParsed('isTopicKey', 'must be a key')
  key?: string | null;

  @ApiPropertyOptional(DESCRIPTION)
  @RejectMisspellings()
  @IsOptional()
  @IsText(MAX_DESCRIPTION_LENGTH)
  description?: string | null;

  @ApiPropertyOptional({ ...VISIBILITY, default: 'private' })
  @Expose()
  @RejectMisspellings()
  @IsIn(VISIBILITIES, { message: `must be one of ${VISIBILITIES.join(', ')}` })
  visibility: Visibility = 'private';

  toNewTopic(): NewTopic {
    const { name, key, description = null, default_subscription: defaultSubscription, visibility } = this;
    return { name, key: key ?? undefined, description, defaultSubscription, visibility };
  }
}

@ApiSchema({ name: 'UpdateTopicRequest' })
export class UpdateTopicDto {
  @ApiPropertyOptional(NAME)
  @Expose()
  @RejectMisspellings()
  @Parse((input) => (input === null ? undefined : parseName(input)))
  @IsOptional()
  @IsParsed('isTopicName', `must have 1 to ${MAX_NAME_LENGTH} characters`)
  name?: string;

  @ApiPropertyOptional(DESCRIPTION)
  @RejectMisspellings()
  @IsOptional()
  @IsText(MAX_DESCRIPTION_LENGTH)
  description?: string | null;

  @ApiPropertyOptional(VISIBILITY)
  @Expose()
  @RejectMisspellings()
  @IsOptional()
  @IsIn(VISIBILITIES, { message: `must be one of ${VISIBILITIES.join(', ')}` })
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

/** The default limit is longer than that of other lists: the official Node client cannot ask for a second page. */
export class TopicCursorDto extends CursorDto {
  @ApiPropertyOptional({
    type: 'integer',
    description: 'The most elements to return.',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: MAX_LIMIT,
  })
  override limit: number = MAX_LIMIT;
}

@ApiSchema({ name: 'TopicId' })
export class TopicIdDto {
  @ApiProperty({ enum: ['topic'], example: 'topic' })
  object = 'topic' as const;

  @ApiProperty({ format: 'uuid', example: ID_EXAMPLE })
  id: string;

  constructor({ id }: Topic) {
    this.id = id;
  }
}

@ApiSchema({ name: 'Topic' })
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

@ApiSchema({ name: 'RemovedTopic' })
export class RemovedTopicDto extends TopicIdDto {
  @ApiProperty({ example: true })
  deleted: boolean = true;
}

/** A topic in a list. */
@ApiSchema({ name: 'ListedTopic' })
export class ListedTopicDto extends OmitType(TopicDto, ['object'] as const) {}

@ApiSchema({ name: 'TopicsPage' })
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
