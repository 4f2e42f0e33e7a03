import { Injectable, type PipeTransform } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { FieldError } from '../http/errors/error-body.js';
import { ValidationError } from '../http/errors/errors.js';
import { pageOf } from '../http/page.js';
import { enumOf, timestamp, uuid } from '../http/properties.js';
import { ConsentDto, parseConsent } from '../ledger/evidence.dto.js';
import type { Consent } from '../ledger/evidence.js';
import { Invalid } from '../validation/parsers.js';
import { findMisspelledFields } from '../validation/unknown-fields.js';
import type { ContactTopic } from './contact.js';
import type { RequestedPreferences, RequestedSubscription, SetPreferences } from './preferences.service.js';
import { parseTopicRef } from './topic-ref.js';
import { SUBSCRIPTION_MEANINGS, SUBSCRIPTIONS, type Subscription } from './topic.entity.js';

export const MAX_TOPICS = 100;
const FIELDS = ['topics', 'consent'];

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

  @ApiPropertyOptional({
    type: ConsentDto,
    nullable: true,
    description:
      'The evidence that the recipient wants the mail again. An account that guards removals requires it for an `opt_in` ' +
      'over an `opt_out`, and the scope `suppressions:lift`. It is stored in the history.',
  })
  consent?: Consent | null;
}

/** Reads `{topics: […]}`, as Resend documents it, and the bare array, as its clients send it. */
@Injectable()
export class SetContactTopicsPipe implements PipeTransform<unknown, RequestedPreferences> {
  /** @throws {ValidationError} */
  transform(body: unknown): RequestedPreferences {
    const { topics, consent: given = null } = (
      Array.isArray(body) ? { topics: body as unknown[] } : (body ?? {})
    ) as Partial<Record<string, unknown>>;
    if (!Array.isArray(topics) || topics.length > MAX_TOPICS) {
      const message = `must be an array of at most ${MAX_TOPICS} objects with id and subscription`;
      throw ValidationError.ofField('topics', message);
    }
    const read = topics.map(parseSubscription);
    const misspelled = Array.isArray(body)
      ? []
      : findMisspelledFields(Object.keys(body as object), FIELDS, ['consent']);
    const errors: FieldError[] = read.flatMap((choice, index) =>
      choice instanceof Invalid ? [{ path: `topics[${index}]`, message: choice.problem }] : [],
    );
    errors.push(...misspelled);
    const consent = parseConsent(given);
    if (consent instanceof Invalid) {
      errors.push({ path: 'consent', message: consent.problem });
    }
    if (errors.length > 0) {
      throw ValidationError.ofFields(errors);
    }
    return { topics: read as RequestedSubscription[], consent: consent as Consent | null };
  }
}

export function parseSubscription(input: unknown): RequestedSubscription | Invalid {
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

const TOPIC_ID_EXAMPLE = '0198a5f3-2b41-7a6e-8c15-7d9e0f1a2b3c';

export class SubscriptionDto {
  @ApiProperty(uuid('The id of the topic.', TOPIC_ID_EXAMPLE))
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

  @ApiProperty(uuid("The same as `contact_id`; some of Resend's typed clients read this name."))
  id: string;

  @ApiProperty(uuid('The id of the contact, which is an address in this account.'))
  contact_id: string;

  @ApiProperty({ description: 'The stored choices, in the order of the request.', type: [SubscriptionDto] })
  topics: SubscriptionDto[];

  constructor({ contactId, topics }: SetPreferences) {
    this.id = contactId;
    this.contact_id = contactId;
    this.topics = topics.map((topic) => new SubscriptionDto(topic));
  }
}

export class ContactTopicDto extends SubscriptionDto {
  @ApiProperty({ description: 'The key of the topic.', example: 'news' })
  key: string;

  @ApiProperty({ description: 'The name of the topic.', example: 'News' })
  name: string;

  @ApiProperty({ type: String, nullable: true, example: 'What is new, once a month' })
  description: string | null;

  @ApiProperty(
    timestamp("When the topic was created; Resend's Rust client requires it.", '2026-01-15T09:30:00.000Z'),
  )
  created_at: string;

  constructor(contactTopic: ContactTopic) {
    super(contactTopic);
    const { key, name, description, createdAt } = contactTopic.topic;
    this.key = key;
    this.name = name;
    this.description = description;
    this.created_at = createdAt.toISOString();
  }
}

export class ContactTopicsPageDto extends pageOf(ContactTopicDto, 'Newest topic first.') {}
