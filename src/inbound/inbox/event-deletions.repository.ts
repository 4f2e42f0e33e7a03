import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { Source } from '../sources/source.entity.js';

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
  constructor(private readonly dataSource: DataSource) {}

  async deleteBySource({ accountId, id }: Source, deadline: number): Promise<void> {
    let rows: { deleted: number }[];
    do {
      rows = await DELETE_SOME.write(this.dataSource, { deadline }, [accountId, id]);
    } while (rows[0]!.deleted > 0);
  }
}
