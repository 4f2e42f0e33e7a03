import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { FeedChangeDto } from '../feed/dto/changes.dto.js';
import type { FeedChange } from '../feed/feed-change.js';
import { SuppressionDto } from '../suppressions/dto/suppression.dto.js';
import type { FoundSuppression } from '../suppressions/suppression-lookup.js';
import type { EventType } from './event-types.js';

export interface WebhookEvent {
  /** The idempotency key of the receiver. */
  id: string;
  type: EventType;
  createdAt: Date;
  body: string;
}

/** Returns the events that announce a change. */
export function eventsOf(change: FeedChange): WebhookEvent[] {
  if (change.type === 'preference.changed') {
    return [eventOf('preference.changed', change, new FeedChangeDto(change))];
  }
  const changed = eventOf('suppression.changed', change, new FeedChangeDto(change));
  const record = change.type === 'suppression.added' ? change.suppression : change.removed;
  return change.type === 'suppression.changed' || record === null
    ? [changed]
    : [eventOf(change.type, change, toSuppressionData(record)), changed];
}

/** @param key - identifies the event among those of its type: the same key and type give the same id */
export function createEvent(type: EventType, key: string, createdAt: Date, data: object): WebhookEvent {
  const body = JSON.stringify({ type, created_at: createdAt.toISOString(), data });
  return { id: eventId(type, key, createdAt), type, createdAt, body };
}

function eventOf(type: EventType, { id, createdAt }: FeedChange, data: object): WebhookEvent {
  return createEvent(type, id, new Date(createdAt), data);
}

/** A UUIDv7, so ids are in the order of time, with a hash in place of random bits. */
function eventId(type: EventType, key: string, createdAt: Date): string {
  const random = createHash('sha256').update(`${type} ${key}`).digest();
  return uuidv7({ msecs: createdAt.getTime(), random });
}

/** As Resend sends it. */
function toSuppressionData(record: FoundSuppression): object {
  const { object: _object, ...data } = new SuppressionDto(record);
  return data;
}
