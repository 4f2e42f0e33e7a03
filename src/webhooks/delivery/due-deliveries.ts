import { PreparedStatement } from '../../database/prepared-statement.js';
import type { WebhookDelivery } from '../webhook-delivery.entity.js';
import { RETRIES_MS } from './retry-schedule.js';

const MAX_DUE = 50;

export interface DueDelivery extends Pick<
  WebhookDelivery,
  'id' | 'type' | 'body' | 'createdAt' | 'position' | 'tries'
> {
  /** Null for an event that comes from the feed. */
  dueAt: Date | null;
  /** Whether the previous attempt found no connection, so that this one must confirm it. */
  wasUnreachable: boolean;
}

/**
 * SQL for the order of deliveries. The events of a change are in the order of `eventsOf`, which ends with the event in the
 * format of the feed.
 */
function orderOf(delivery: string): string {
  return `(${delivery}.position, ${delivery}.type IN ('suppression.changed', 'preference.changed', 'contact.erased'))`;
}

/** SQL: whether a delivery is due. A delivery in feed order is not due while an earlier one is waiting. */
export const IS_DUE = `
  delivery.status = 'pending' AND delivery.next_attempt_at <= now()
  AND (delivery.position IS NULL OR NOT EXISTS (
    SELECT FROM webhook_deliveries AS waiting
    WHERE waiting.account_id = delivery.account_id
      AND waiting.webhook_id = delivery.webhook_id
      AND waiting.status = 'pending'
      AND waiting.next_attempt_at > now()
      AND ${orderOf('waiting')} < ${orderOf('delivery')}
  ))`;

/** The deliveries of a webhook that are due, in the order in which they are sent. */
export const FIND_DUE = new PreparedStatement<DueDelivery>(
  'read-due-deliveries',
  `SELECT id, type, body, created_at AS "createdAt", position, tries,
    next_attempt_at AS "dueAt",
    coalesce((attempts -> -1 -> 'is_unconfirmed')::boolean, false) AS "wasUnreachable"
  FROM webhook_deliveries AS delivery
  WHERE account_id = $1 AND webhook_id = $2 AND ${IS_DUE}
  ORDER BY ${orderOf('delivery')}, next_attempt_at
  LIMIT ${MAX_DUE}`,
);

/**
 * Makes the next attempt immediately. An early attempt replaces the previous one, so that early attempts do not use up
 * the retries. After the retry schedule, this no longer applies, so that an event that always fails does not block later
 * events.
 */
export const RETRY_NOW = new PreparedStatement<Record<string, never>>(
  'retry-deliveries-now',
  `UPDATE webhook_deliveries
  SET next_attempt_at = now(),
    tries = CASE
      WHEN recorded_at > now() - interval '${RETRIES_MS} milliseconds' THEN greatest(tries - 1, 0)
      ELSE tries
    END
  WHERE account_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_attempt_at > now()`,
);
