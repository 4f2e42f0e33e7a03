import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { lowestIdAt } from '../../suppressions/suppression-id.js';
import type { Source } from '../sources/source.entity.js';
import { INBOX_RETENTION_DAYS } from '../sources/injection-tokens.js';

const DAY_MS = 86_400_000;

/**
 * Reports and lifts are kept, since they decide about later lifts, and so are soft failures that suppressed, since they
 * explain a record. Rows that somebody else has locked are left for the next time.
 */
const DELETE_EXPIRED = new PreparedStatement<Record<string, never>>(
  'delete-expired-events',
  `WITH oldest AS MATERIALIZED (
    SELECT account_id, ctid
    FROM delivery_events
    WHERE account_id = $1 AND effect IN ('watch', 'success', 'none') AND outcome IN ('counted', 'nothing') AND id < $2
    ORDER BY id
    LIMIT $3
    FOR UPDATE SKIP LOCKED
  )
  DELETE FROM delivery_events
  USING oldest
  WHERE delivery_events.account_id = oldest.account_id AND delivery_events.ctid = oldest.ctid`,
);

/** Deletes as many as fit well into the time that a statement may take. */
const DELETE_SOME = new PreparedStatement<{ deleted: number }>(
  'delete-delivery-events',
  `WITH deleted AS (
    DELETE FROM delivery_events
    WHERE account_id = $1 AND id IN (
      SELECT id FROM delivery_events WHERE account_id = $1 AND source_id = $2 LIMIT 10000
    )
    RETURNING id
  )
  SELECT count(*)::integer AS deleted FROM deleted`,
);

@Injectable()
export class EventDeletionsRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(INBOX_RETENTION_DAYS) private readonly retentionDays: number,
  ) {}

  async deleteExpired(accountId: number, limit: number, transaction: EntityManager): Promise<void> {
    const end = lowestIdAt(Date.now() - this.retentionDays * DAY_MS);
    await DELETE_EXPIRED.run(transaction, [accountId, end, limit]);
  }

  async deleteBySource({ accountId, id }: Source, deadline: number): Promise<void> {
    let rows: { deleted: number }[];
    do {
      rows = await DELETE_SOME.write(this.dataSource, { deadline }, [accountId, id]);
    } while (rows[0]!.deleted > 0);
  }
}
