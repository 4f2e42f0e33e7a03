import type { EntityManager } from 'typeorm';
import type { WebhookEvent } from './event.js';

/**
 * Sends an event to all webhooks of an account that subscribe to its type, once the transaction is committed. The same event is
 * sent only once.
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
    ON CONFLICT DO NOTHING`,
    [accountId, id, type, body, createdAt],
  );
}
