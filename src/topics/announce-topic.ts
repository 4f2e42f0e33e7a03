import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { announceEvent } from '../announcements/announce-event.js';
import { createEvent } from '../announcements/event.js';
import type { Topic } from './topic.entity.js';

export type TopicAction = 'topic.created' | 'topic.updated' | 'topic.archived' | 'topic.restored';

/** Resend deletes topics instead of archiving them. */
const EVENT_TYPES = {
  'topic.created': 'topic.created',
  'topic.updated': 'topic.updated',
  'topic.archived': 'topic.deleted',
  'topic.restored': 'topic.created',
} as const;

/** Announces a change of a topic as Resend does. https://resend.com/docs/webhooks/topics/created */
export async function announceTopic(
  transaction: EntityManager,
  action: TopicAction,
  { accountId, id, name, description, defaultSubscription, createdAt, archivedAt }: Topic,
): Promise<void> {
  const at = action === 'topic.created' ? createdAt : new Date();
  const data = {
    id,
    name,
    description,
    default_subscription: defaultSubscription,
    deleted: archivedAt !== null,
    created_at: createdAt.toISOString(),
    updated_at: at.toISOString(),
  };
  await announceEvent(transaction, accountId, createEvent(EVENT_TYPES[action], uuidv7(), at, data));
}
