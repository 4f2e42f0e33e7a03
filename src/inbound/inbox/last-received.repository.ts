import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { HIGHEST_ID } from '../../validation/id.js';

/**
 * The order is that of one index alone. With `source_id = source` and `ORDER BY id`, PostgreSQL may read all events of the
 * account in search of one of a source that reported nothing.
 */
const FIND = new PreparedStatement<{ source: string; receivedAt: Date }>(
  'find-last-received',
  `SELECT source, received_at AS "receivedAt"
  FROM unnest($2::uuid[]) AS source
  CROSS JOIN LATERAL (
    SELECT source_id, received_at
    FROM delivery_events
    WHERE account_id = $1 AND (source_id, id) <= (source, '${HIGHEST_ID}')
    ORDER BY source_id DESC, id DESC
    LIMIT 1
  ) AS last
  WHERE source_id = source`,
);

@Injectable()
export class LastReceivedRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Keyed by source id; sources that reported nothing are absent. */
  async find(accountId: number, sources: string[]): Promise<Map<string, Date>> {
    const rows = await FIND.run(this.dataSource, [accountId, sources]);
    return new Map(rows.map(({ source, receivedAt }) => [source, receivedAt]));
  }
}
