import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { pageOf } from '../../http/page.js';
import type { ContactTopic } from '../contact-topic.js';
import type { SetPreferences } from '../preferences.service.js';
import { SUBSCRIPTION_MEANINGS, type Subscription } from '../topic.entity.js';
import { enumOf } from '../../validation/enum-of.js';
import { timestamp, uuid } from '../../http/properties.js';

const TOPIC_ID_EXAMPLE = '0198a5f3-2b41-7a6e-8c15-7d9e0f1a2b3c';

@ApiSchema({ name: 'Subscription' })
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

@ApiSchema({ name: 'ContactTopic' })
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

@ApiSchema({ name: 'ContactTopicsPage' })
export class ContactTopicsPageDto extends pageOf(ContactTopicDto, 'Newest topic first.') {}
