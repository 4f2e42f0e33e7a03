import { Injectable } from '@nestjs/common';
import { LessThan, type DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ReadReplica } from '../database/read-replica.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { toPage, type Page } from '../http/page.js';
import { HIGHEST_ID, LOWEST_ID, lowestIdAt } from '../validation/parsers.js';
import { SuppressionChange } from './suppression-change.entity.js';

const FIND_EMAIL = new PreparedStatement<{ email: EmailAddress }>(
  'find-email-of-suppression',
  `SELECT email
  FROM suppression_changes
  WHERE account_id = $1 AND suppression_id = $2 AND action = 'added'
  LIMIT 1`,
);

/** Reads the ledger. The statements that change the list write it. */
@Injectable()
export class SuppressionChangesRepository {
  constructor(private readonly replica: ReadReplica) {}

  /** The address that a suppression has or had, or null when the account never had such a suppression. */
  async findEmail(accountId: number, suppressionId: string): Promise<EmailAddress | null> {
    const values = [accountId, suppressionId];
    const [added] = await this.replica.read((dataSource) => FIND_EMAIL.run(dataSource, values));
    return added?.email ?? null;
  }

  exists(accountId: number, email: EmailAddress): Promise<boolean> {
    return this.replica.read(({ manager }) => manager.existsBy(SuppressionChange, { accountId, email }));
  }

  /** Finds a change of an address. Asks the primary if the replica does not have it yet. */
  find(accountId: number, email: EmailAddress, id: string): Promise<SuppressionChange | null> {
    return this.replica.read(
      ({ manager }) => manager.findOneBy(SuppressionChange, { accountId, email, id }),
      (change) => change !== null,
    );
  }

  /**
   * The changes of an address, newest first.
   *
   * @param before - only changes with a lower revision
   */
  async findPage(
    accountId: number,
    email: EmailAddress,
    limit: number,
    before?: string,
  ): Promise<Page<SuppressionChange>> {
    const where = { accountId, email, ...(before !== undefined && { revision: LessThan(before) }) };
    const rows = await this.replica.read(({ manager }) =>
      manager.find(SuppressionChange, { where, order: { revision: 'DESC' }, take: limit + 1 }),
    );
    return toPage(rows, limit);
  }
}

const LINES_AT_ONCE = 5_000;
/** How far the clock of the database may have been off, as after a failover. */
const MAX_CLOCK_SKEW_MS = 60 * 60 * 1000;

/** A range of ids: after `position` and before `end`. */
export interface LedgerRange {
  position: string;
  end: string;
}

/**
 * The range of the ledger with the lines of a period. The ids contain the time.
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
 * Reads the lines of the ledger that meet a condition. The ids of the ledger are in chronological order, so the lines of a
 * period are within a range of the primary key. The statement reads a limited number at a time, however many other lines lie
 * between them.
 */
export class LedgerScan<Line extends { id: string }> {
  private readonly statement: PreparedStatement<Line & ScanRow>;

  /**
   * @param name - the name of the statement
   * @param columns - SQL of the columns of `line` to return, among them `id`
   * @param condition - SQL about `line`, whose first three parameters are the account and the range
   * @param most - the most lines to return at once
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
