import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { NewEvent } from './inbox.repository.js';
import type { Source } from './source.entity.js';

const LOCK = new PreparedStatement<{ id: string }>(
  'lock-suppression',
  'SELECT id FROM suppressions WHERE account_id = $1 AND email = $2 FOR UPDATE',
);

const FIND_LIFTABLE = new PreparedStatement<{ id: string }>(
  'find-liftable-suppression',
  `SELECT suppression.id
  FROM suppressions AS suppression
  JOIN suppression_changes AS added
    ON added.account_id = $1 AND added.suppression_id = suppression.id AND added.action = 'added'
  WHERE suppression.account_id = $1
    AND suppression.email = $2
    AND suppression.cause <> 'complaint'
    AND CASE
      WHEN $4 THEN suppression.cause IN ('bounce', 'manual')
      ELSE suppression.cause = 'unsubscribe' AND added.cause = 'unsubscribe'
    END
    AND NOT EXISTS (
      SELECT FROM delivery_events AS told
      WHERE told.account_id = $1
        AND told.recipient = $2
        AND told.suppression_id = suppression.id
        AND told.effect IN ('suppress', 'suppress-if-absent')
        AND told.id <> ALL ($6)
      OFFSET 1
    )
    AND NOT EXISTS (
      SELECT FROM suppression_changes AS foreign_change
      WHERE foreign_change.account_id = $1
        AND foreign_change.email = $2
        AND foreign_change.suppression_id = suppression.id
        AND foreign_change.actor_id IS DISTINCT FROM $3
    )
    AND NOT EXISTS (
      SELECT FROM delivery_events AS later
      WHERE later.account_id = $1
        AND later.recipient = $2
        AND later.received_from = $3
        AND later.effect IN ('suppress', 'suppress-if-absent')
        AND later.id <> ALL ($6)
        AND coalesce(later.occurred_at, later.received_at) > $5
    )`,
);

/** Finds what a source may take back. */
@Injectable()
export class LiftableRepository {
  /**
   * Locks the record of the event's recipient, and returns its id if the same source made it and nobody else changed it:
   * for a `removed` a bounce or a manual one, else one that is and always was an unsubscribe. Never a complaint, not when the
   * source told of something later, and not when anybody told of the address a second time: an unsubscribe may be from
   * another list or stream than the one that is lifted.
   *
   * @param waiting - events that are stored and come after this one
   */
  async find(
    { accountId, id: sourceId }: Source,
    event: NewEvent,
    waiting: NewEvent[],
    transaction: EntityManager,
  ): Promise<string | null> {
    await LOCK.run(transaction, [accountId, event.recipient]);
    const [found] = await FIND_LIFTABLE.run(transaction, [
      accountId,
      event.recipient,
      sourceId,
      event.kind === 'removed',
      event.occurredAt ?? event.receivedAt,
      waiting.map(({ id }) => id),
    ]);
    return found?.id ?? null;
  }
}
