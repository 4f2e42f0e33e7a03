import { Injectable, type PipeTransform } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ValidationError } from '../../http/errors.js';
import { PageDto, type Page } from '../../http/page.js';
import { Invalid } from '../../validation/invalid.js';
import type { ContactTopic, RequestedSubscription, SetPreferences } from '../preferences.service.js';
import { parseTopicRef } from '../topic-ref.js';
import { SUBSCRIPTION_MEANINGS, SUBSCRIPTIONS, type Subscription } from '../topic.entity.js';
import { enumOf } from '../../validation/enum-of.js';

const MAX_TOPICS = 100;
const TOPIC_ID_EXAMPLE = '0198a5f3-2b41-7a6e-8c15-7d9e0f1a2b3c';

/** A choice as it is sent. */
@ApiSchema({ name: 'SetSubscription' })
export class SetSubscriptionDto {
  @ApiProperty({ description: 'The id or the key of the topic.', example: 'news' })
  id!: string;

  @ApiProperty({
    ...enumOf('', SUBSCRIPTION_MEANINGS),
    example: 'opt_out',
  })
  subscription!: Subscription;
}

@ApiSchema({ name: 'SetContactTopicsRequest' })
export class SetContactTopicsDto {
  @ApiProperty({ type: [SetSubscriptionDto], maxItems: MAX_TOPICS })
  topics!: SetSubscriptionDto[];
}

/** Reads `{topics: […]}`, as Resend documents it, and the bare array, as its clients send it. */
@Injectable()
export class SetContactTopicsPipe implements PipeTransform<unknown, RequestedSubscription[]> {
  /** @throws {ValidationError} */
  transform(body: unknown): RequestedSubscription[] {
    const topics = Array.isArray(body)
      ? (body as unknown[])
      : (body as { topics?: unknown } | undefined)?.topics;
    if (!Array.isArray(topics) || topics.length > MAX_TOPICS) {
      const message = `must be an array of at most ${MAX_TOPICS} objects with id and subscription`;
      throw ValidationError.ofFields([{ path: 'topics', message }]);
    }
    const read = topics.map(readChoice);
    const errors = read.flatMap((choice, index) =>
      choice instanceof Invalid ? [{ path: `topics[${index}]`, message: choice.problem }] : [],
    );
    if (errors.length > 0) {
      throw ValidationError.ofFields(errors);
    }
    return read as RequestedSubscription[];
  }
}

function readChoice(input: unknown): RequestedSubscription | Invalid {
  const { id, subscription } = (input ?? {}) as Partial<Record<string, unknown>>;
  const topic = parseTopicRef(id);
  if (topic instanceof Invalid) {
    return new Invalid('must have the id or the key of a topic in id');
  }
  const isSubscription = SUBSCRIPTIONS.includes(subscription as Subscription);
  return isSubscription
    ? { topic, subscription: subscription as Subscription }
    : new Invalid(`must have one of ${SUBSCRIPTIONS.join(', ')} in subscription`);
}

@ApiSchema({ name: 'Subscription' })
export class SubscriptionDto {
  @ApiProperty({ format: 'uuid', description: 'The id of the topic.', example: TOPIC_ID_EXAMPLE })
  id: string;

  @ApiProperty({ ...enumOf('', SUBSCRIPTION_MEANINGS), example: 'opt_out' })
  subscription: Subscription;

  constructor({ topic, subscription }: ContactTopic) {
    this.id = topic.id;
    this.subscription = subscription;
  }
}

@ApiSchema({ name: 'SetContactTopics' })
export class ContactTopicsSetDto {
  @ApiProperty({ enum: ['contact_topics'], example: 'contact_topics' })
  object = 'contact_topics' as const;

  @ApiProperty({ format: 'uuid', description: 'The same as `contact_id`, for typed clients.' })
  id: string;

  @ApiProperty({ format: 'uuid', description: 'The id of the contact: of the address, in this account.' })
  contact_id: string;

  @ApiProperty({ description: 'What was set, in the order requested.', type: [SubscriptionDto] })
  topics: SubscriptionDto[];

  constructor({ contactId, topics }: SetPreferences) {
    this.id = contactId;
    this.contact_id = contactId;
    this.topics = topics.map((topic) => new SubscriptionDto(topic));
  }
}

@ApiSchema({ name: 'ContactTopic' })
export class ContactTopicDto extends SubscriptionDto {
  @ApiProperty({ description: 'The key of the topic.', example: 'news' })
  key: string;

  @ApiProperty({ description: 'The name of the topic.', example: 'News' })
  name: string;

  @ApiProperty({ type: String, nullable: true, example: 'What is new, once a month' })
  description: string | null;

  constructor(contactTopic: ContactTopic) {
    super(contactTopic);
    const { key, name, description } = contactTopic.topic;
    this.key = key;
    this.name = name;
    this.description = description;
  }
}

@ApiSchema({ name: 'ContactTopicsPage' })
export class ContactTopicsPageDto extends PageDto {
  @ApiProperty({ description: 'Newest topic first.', type: [ContactTopicDto] })
  data: ContactTopicDto[];

  constructor({ elements, hasMore }: Page<ContactTopic>) {
    super(hasMore);
    this.data = elements.map((topic) => new ContactTopicDto(topic));
  }
}
