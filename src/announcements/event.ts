import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { EventType } from './event-types.js';

export interface WebhookEvent {
  /** The idempotency key of the receiver. */
  id: string;
  type: EventType;
  createdAt: Date;
  body: string;
}

/** @param key - identifies the event among those of its type: the same key and type give the same id */
export function createEvent(type: EventType, key: string, createdAt: Date, data: object): WebhookEvent {
  const body = JSON.stringify({ type, created_at: createdAt.toISOString(), data });
  return { id: eventId(type, key, createdAt), type, createdAt, body };
}

/** A UUIDv7, so ids are in the order of time, with a hash in place of random bits. */
function eventId(type: EventType, key: string, createdAt: Date): string {
  const random = createHash('sha256').update(`${type} ${key}`).digest();
  return uuidv7({ msecs: createdAt.getTime(), random });
}
