import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';

/** The events that Resend's clients know, then our own, and when each one is sent. */
export const EVENT_TYPE_MEANINGS = {
  'suppression.added': 'an address was suppressed; in the format of Resend',
  'suppression.removed': 'an address is no longer suppressed; in the format of Resend',
  'suppression.changed': 'a suppression was added, changed, or removed; in the format of `GET /changes`',
  'preference.changed': 'the choice of a recipient for a topic changed; in the format of `GET /changes`',
  'contact.topics.updated': 'the same choice; in the format of Resend',
  'contact.erased': 'an address was erased; in the format of `GET /changes`',
  'topic.created': 'a topic was created or restored; in the format of Resend',
  'topic.updated': 'a topic changed; in the format of Resend',
  'topic.deleted': 'a topic was archived; in the format of Resend',
  'import.completed': 'an import was completed',
  'import.failed': 'an import failed; some of its rows may have been applied',
  'incident.opened': 'a wave of bounces looks like the fault of a receiving provider',
  'incident.closed': 'the wave has been over for 60 minutes',
  'incident.decided': 'somebody decided what becomes of the bounces that an incident holds',
  'provider_list.completed': 'a plan of a provider list was applied',
  'webhook.test': 'a test, which every webhook can receive',
} as const;

export type EventType = keyof typeof EVENT_TYPE_MEANINGS;

export const EVENT_TYPES = Object.keys(EVENT_TYPE_MEANINGS) as EventType[];

/** The events that a webhook without `events` receives: Resend's events about suppressions. */
export const DEFAULT_EVENT_TYPES: readonly EventType[] = ['suppression.added', 'suppression.removed'];

/** Resend's other events, including future ones. */
const UNSENT = /^(?:contact\.(?:created|updated|deleted)|(?:domain|email|inbox)(?:\.[a-z_]{1,32}){1,3})$/;

export function isEventType(name: unknown): name is EventType {
  return EVENT_TYPES.includes(name as EventType);
}

/**
 * Whether Resend sends an event of this name and this service does not. A webhook may have such names, because some clients
 * always subscribe to all events that they know.
 */
export function isUnsent(name: unknown): name is string {
  return typeof name === 'string' && UNSENT.test(name);
}

export interface WebhookEvent {
  /** Receivers use it as an idempotency key. */
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

/** A UUIDv7, so that ids sort by time, with a hash in place of the random bits. */
function eventId(type: EventType, key: string, createdAt: Date): string {
  const random = createHash('sha256').update(`${type} ${key}`).digest();
  return uuidv7({ msecs: createdAt.getTime(), random });
}

/**
 * Sends an event to all webhooks of an account that subscribe to its type, once the transaction is committed. The same event is
 * sent only once. The lock leaves out a webhook that is being deleted.
 */
export async function announceEvent(
  transaction: EntityManager,
  accountId: number,
  { id, type, body, createdAt }: WebhookEvent,
): Promise<void> {
  await transaction.query(
    `INSERT INTO webhook_deliveries (account_id, webhook_id, id, type, body, created_at, status, next_attempt_at)
    SELECT $1, id, $2, $3::text, $4, $5, 'pending', now()
    FROM webhooks
    WHERE account_id = $1 AND $3::text = ANY (events)
    FOR KEY SHARE
    ON CONFLICT DO NOTHING`,
    [accountId, id, type, body, createdAt],
  );
}
