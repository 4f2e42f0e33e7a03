import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { BackgroundTasks, Sweep } from '../process/background-tasks.js';

const INTERVAL_MS = 60_000;
/** Deleting this many lines takes a fraction of the statement timeout. */
const DELETED_LINES = 5_000;

/** SQL condition. Lines are kept a little longer, because a request that began in time may still need them. */
const IS_DUE = `lines_until < now() - interval '10 minutes'`;

type DueLift = { accountId: number; id: string };
type IdRow = { id: string };

const FIND_DUE = new PreparedStatement<DueLift>(
  'find-lifts-with-old-lines',
  `SELECT account_id AS "accountId", id FROM lifts WHERE ${IS_DUE}`,
);

/** Selects rows by `ctid`, because a plan with a join would read all rows of the lift for each batch. */
const deleteSome = (name: string, table: string, key: string) =>
  new PreparedStatement<IdRow>(
    name,
    `DELETE FROM ${table}
    WHERE account_id = $1
      AND lift_id = $2
      AND ctid = ANY (ARRAY(
        SELECT ctid
        FROM ${table}
        WHERE account_id = $1
          AND lift_id = $2
          AND EXISTS (SELECT FROM lifts WHERE account_id = $1 AND id = $2 AND ${IS_DUE})
        ORDER BY ${key}
        LIMIT ${DELETED_LINES}
      ))
    RETURNING lift_id AS id`,
  );

const DELETE_LINES = deleteSome('delete-old-lift-lines', 'lift_lines', 'number');
const DELETE_TOTALS = deleteSome('delete-old-lift-totals', 'lift_totals', 'grouping, key');

const CLOSE = new PreparedStatement<IdRow>(
  'close-lift',
  `UPDATE lifts
  SET lines_until = NULL, status = CASE WHEN status = 'ready' THEN 'expired' ELSE status END
  WHERE account_id = $1 AND id = $2 AND ${IS_DUE}
  RETURNING id`,
);

/** Deletes the lines of expired plans, and of lifts that can no longer be reverted. */
@Injectable()
export class LiftSweep extends Sweep {
  constructor(
    private readonly dataSource: DataSource,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: INTERVAL_MS, failure: 'the lines of old lifts were not deleted' });
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    const found = await FIND_DUE.run(this.dataSource, []);
    await this.forEvery(found, stopping, (due) => this.clean(due, stopping));
  }

  private async clean({ accountId, id }: DueLift, stopping: AbortSignal): Promise<void> {
    for (const statement of [DELETE_LINES, DELETE_TOTALS]) {
      while ((await statement.run(this.dataSource, [accountId, id])).length > 0) {
        if (stopping.aborted) {
          return;
        }
      }
    }
    await CLOSE.run(this.dataSource, [accountId, id]);
  }
}
