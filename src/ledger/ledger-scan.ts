import type { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { HIGHEST_ID, LOWEST_ID, lowestIdAt } from '../validation/id.js';

const LINES_AT_ONCE = 5_000;
/** The clock of the database may have changed, as after a failover. */
const MAX_CLOCK_SKEW_MS = 60 * 60 * 1000;

/** A range of ids: after `position` and before `end`. */
export interface LedgerRange {
  position: string;
  end: string;
}

/**
 * The range of the ledger that has the lines of a time, which is in their ids.
 *
 * @param from - in milliseconds since 1970
 */
export function rangeBetween(from: number | undefined, to: number | undefined): LedgerRange {
  return {
    position: from === undefined ? LOWEST_ID : lowestIdAt(Math.max(0, from - MAX_CLOCK_SKEW_MS)),
    end: to === undefined ? HIGHEST_ID : lowestIdAt(to + MAX_CLOCK_SKEW_MS),
  };
}

export interface ScannedLines<Line> {
  lines: Line[];
  /** Where the scan continues. */
  position: string;
}

interface ScanRow {
  id: string | null;
  lastRead: string | null;
}

/**
 * Reads the lines of the ledger that meet a condition. The ids of the ledger are in the order of time, so the lines of a time are
 * within a range of the primary key. However many other lines lie between them, the statement reads some at a time.
 */
export class LedgerScan<Line extends { id: string }> {
  private readonly statement: PreparedStatement<Line & ScanRow>;

  /**
   * @param name - of the statement
   * @param columns - SQL of the columns of `line` to return, among them `id`
   * @param condition - SQL about `line`, whose first three parameters are the account and the range
   * @param most - lines to return at once
   */
  constructor(
    name: string,
    columns: string,
    condition: string,
    private readonly most: number,
  ) {
    this.statement = new PreparedStatement(
      name,
      `WITH line AS MATERIALIZED (
        SELECT *
        FROM suppression_changes
        WHERE account_id = $1 AND id > $2 AND id < $3
        ORDER BY id
        LIMIT ${LINES_AT_ONCE}
      )
      SELECT found.*, last_read.id AS "lastRead"
      FROM (SELECT id FROM line ORDER BY id DESC LIMIT 1) AS last_read
      LEFT JOIN LATERAL (SELECT ${columns} FROM line WHERE ${condition} ORDER BY id LIMIT ${most}) AS found ON true
      ORDER BY found.id`,
    );
  }

  /** The next lines. Null if the range has no more lines. */
  async next(
    dataSource: DataSource,
    accountId: number,
    { position, end }: LedgerRange,
    parameters: unknown[],
  ): Promise<ScannedLines<Line> | null> {
    const rows = await this.statement.run(dataSource, [accountId, position, end, ...parameters]);
    const lines = rows.filter((row) => row.id !== null);
    const last = lines.length === this.most ? lines.at(-1)!.id : rows[0]?.lastRead;
    return last ? { lines, position: last } : null;
  }
}
