import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountRounds } from '../accounts/account-rounds.js';
import { accountsWith } from '../database/accounts-with.js';
import { withSocketTimeout } from '../database/connections.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { LONGEST_WRITE_MS } from '../database/transaction.js';
import { BackgroundTasks, repeat, Sweep } from '../process/background-tasks.js';
import { RECORD_CAUSES } from '../suppressions/suppression.entity.js';
import { ADD_CHANGES } from './changes-by-day.js';
import { MAX_PENDING_ROWS } from './totals.repository.js';
import { lowestIdAt } from '../validation/parsers.js';

/** How many pending rows are added at once. Each row stands for a statement that changed up to 1,000 records. */
const PENDING_ROWS = 50;

const CHANGES_AT_ONCE = 20_000;
/** The totals of changes cover the last 30 days. */
const KEPT_MS = 31 * 24 * 60 * 60 * 1000;

/** Counting ten million records takes half a minute. */
const TIME_LIMIT_MS = 600_000;

const SETTINGS = `
  SET LOCAL statement_timeout = ${TIME_LIMIT_MS};
  SET LOCAL enable_seqscan = on;
  SET LOCAL jit = off;
  SET LOCAL work_mem = '64MB';
  SET LOCAL plan_cache_mode = force_custom_plan`;

interface DueAccount {
  accountId: number;
  isCounted: boolean;
}

const FIND_DUE = new PreparedStatement<DueAccount>(
  'find-accounts-with-due-totals',
  `SELECT visited.account_id AS "accountId", counted."isCounted" IS NOT NULL AS "isCounted"
  FROM (
    ${accountsWith('pending_totals')} UNION SELECT id FROM accounts WHERE id > $3 AND id <= $4
  ) AS visited
  LEFT JOIN LATERAL (
    SELECT true AS "isCounted", changes_until FROM counted_accounts WHERE account_id = visited.account_id LIMIT 1
  ) AS counted ON true
  WHERE counted."isCounted" IS NULL
    OR EXISTS (SELECT FROM pending_totals WHERE account_id = visited.account_id)
    OR EXISTS (
      SELECT FROM suppression_changes AS line
      WHERE line.account_id = visited.account_id AND line.id > greatest($1::uuid, counted.changes_until) AND line.id < $2
    )`,
);

const CLAIM = `INSERT INTO counted_accounts (account_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING account_id`;

const FORGET_IF_BEHIND = `
  DELETE FROM counted_accounts
  WHERE account_id = (
    SELECT account_id
    FROM counted_accounts
    WHERE account_id = $1
      AND EXISTS (SELECT FROM pending_totals WHERE account_id = $1 OFFSET ${MAX_PENDING_ROWS} LIMIT 1)
    FOR UPDATE SKIP LOCKED
  )`;

/** One statement, so that it counts the records and discards the pending changes of the same snapshot. */
const COUNT = `
  WITH discarded AS (
    DELETE FROM pending_totals WHERE account_id = $1
  ),
  by_day AS (
    INSERT INTO day_totals (account_id, day, causes, count)
    SELECT $1, (created_at AT TIME ZONE 'UTC')::date, ${RECORD_CAUSES}, count(*)
    FROM suppressions
    WHERE account_id = $1
    GROUP BY 2, 3
  )
  INSERT INTO domain_totals (account_id, domain, count)
  SELECT $1, split_part(email, '@', -1), count(*)
  FROM suppressions
  WHERE account_id = $1
  GROUP BY 2`;

const LOCK = 'SELECT FROM counted_accounts WHERE account_id = $1 FOR UPDATE SKIP LOCKED';

const ADD_PENDING = `
  WITH taken AS (
    DELETE FROM pending_totals
    WHERE account_id = $1
      AND id = ANY (ARRAY(SELECT id FROM pending_totals WHERE account_id = $1 ORDER BY id LIMIT ${PENDING_ROWS}))
    RETURNING domains, days, causes
  ),
  change AS MATERIALIZED (
    SELECT domain, day, abs(entry.causes) AS causes, sign(entry.causes) AS count
    FROM taken
    CROSS JOIN LATERAL unnest(domains, days, taken.causes) AS entry (domain, day, causes)
  ),
  by_day AS (
    INSERT INTO day_totals AS total (account_id, day, causes, count)
    SELECT $1, day, causes, sum(count) FROM change GROUP BY day, causes HAVING sum(count) <> 0
    ON CONFLICT (account_id, day, causes) DO UPDATE SET count = total.count + excluded.count
  ),
  by_domain AS (
    INSERT INTO domain_totals AS total (account_id, domain, count)
    SELECT $1, domain, sum(count) FROM change GROUP BY domain HAVING sum(count) <> 0
    ON CONFLICT (account_id, domain) DO UPDATE SET count = total.count + excluded.count
  )
  SELECT count(*)::integer AS taken FROM taken`;

/**
 * Keeps the totals of all accounts, in every instance. It counts the records of an account once, and then adds the changes that
 * statements announced. Reads add the changes that it has not reached, so it may be late.
 */
@Injectable()
export class TotalsSweep extends Sweep {
  private readonly rounds: AccountRounds;

  constructor(
    private readonly dataSource: DataSource,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: 15_000, failure: 'the totals of the lists were not updated' });
    this.rounds = new AccountRounds(dataSource);
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    await this.forEvery(await this.findDue(), stopping, (due) => this.update(due, stopping));
  }

  private async update({ accountId, isCounted }: DueAccount, stopping: AbortSignal): Promise<void> {
    if (!isCounted || (await this.forgetIfBehind(accountId))) {
      await this.countRecords(accountId, stopping);
    }
    await repeat(() => this.addPending(accountId, stopping), stopping);
    await repeat(() => this.addChanges(accountId, stopping), stopping);
  }

  /** Finds all accounts whose records have changed and, in each pass, some of the others. */
  private async findDue(): Promise<DueAccount[]> {
    const { after, last } = await this.rounds.next();
    const lines = await countableLines(this.dataSource.manager);
    return FIND_DUE.run(this.dataSource, [...lines, after, last]);
  }

  /**
   * Discards the totals if too many changes are pending, because counting the records again is faster. An earlier version that
   * runs after a rollback leaves all changes pending.
   *
   * @returns whether the totals were discarded; false if another instance is adding the changes
   */
  private async forgetIfBehind(accountId: number): Promise<boolean> {
    const [, forgotten] = (await this.dataSource.query(FORGET_IF_BEHIND, [accountId])) as [unknown[], number];
    return forgotten > 0;
  }

  /** Does nothing if another instance has counted the records in the meantime. */
  private async countRecords(accountId: number, stopping: AbortSignal): Promise<void> {
    await this.inTransaction(stopping, async (transaction) => {
      const [claimed] = (await transaction.query(CLAIM, [accountId])) as unknown[];
      if (claimed) {
        await transaction.query('DELETE FROM day_totals WHERE account_id = $1', [accountId]);
        await transaction.query('DELETE FROM domain_totals WHERE account_id = $1', [accountId]);
        await transaction.query('DELETE FROM change_totals WHERE account_id = $1', [accountId]);
        await transaction.query(COUNT, [accountId]);
      }
    });
  }

  /**
   * Adds some pending changes to the totals.
   *
   * @returns whether there may be more. False if another instance is adding them
   */
  private addPending(accountId: number, stopping: AbortSignal): Promise<boolean> {
    return this.whileLocked(accountId, stopping, async (transaction) => {
      const [{ taken }] = (await transaction.query(ADD_PENDING, [accountId])) as [{ taken: number }];
      await transaction.query('DELETE FROM day_totals WHERE account_id = $1 AND count = 0', [accountId]);
      await transaction.query('DELETE FROM domain_totals WHERE account_id = $1 AND count = 0', [accountId]);
      return taken === PENDING_ROWS;
    });
  }

  /**
   * Adds some changes to the totals of days. Changes are in the order of their ids only after all writes of that time have
   * ended.
   *
   * @returns whether there may be more. False if another instance is adding them
   */
  private addChanges(accountId: number, stopping: AbortSignal): Promise<boolean> {
    return this.whileLocked(accountId, stopping, async (transaction) => {
      const lines = await countableLines(transaction);
      const [{ added }] = (await transaction.query(ADD_CHANGES, [accountId, ...lines, CHANGES_AT_ONCE])) as [
        { added: number },
      ];
      await transaction.query('DELETE FROM change_totals WHERE account_id = $1 AND day < $2', [
        accountId,
        new Date(Date.now() - KEPT_MS),
      ]);
      return added === CHANGES_AT_ONCE;
    });
  }

  /** @returns false if another instance holds the lock */
  private whileLocked(
    accountId: number,
    stopping: AbortSignal,
    work: (transaction: EntityManager) => Promise<boolean>,
  ): Promise<boolean> {
    return this.inTransaction(stopping, async (transaction) => {
      const locked = (await transaction.query(LOCK, [accountId])) as unknown[];
      return locked.length > 0 && work(transaction);
    });
  }

  /** The server cancels a statement that is running when the instance stops. */
  private inTransaction<Result>(
    stopping: AbortSignal,
    work: (transaction: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return this.dataSource.transaction(async (transaction) => {
      await transaction.query(SETTINGS);
      const [{ id }] = (await transaction.query('SELECT pg_backend_pid() AS id')) as [{ id: number }];
      const cancel = () =>
        void this.dataSource.query('SELECT pg_cancel_backend($1::integer)', [id]).catch(() => undefined);
      stopping.addEventListener('abort', cancel);
      try {
        return await withSocketTimeout(transaction, TIME_LIMIT_MS, () => work(transaction));
      } finally {
        stopping.removeEventListener('abort', cancel);
      }
    });
  }
}

/** The range of ids within which changes are counted. It uses the clock of the database, which also generates the ids. */
async function countableLines(database: EntityManager): Promise<[after: string, before: string]> {
  const [{ now }] = (await database.query('SELECT clock_timestamp() AS now')) as [{ now: Date }];
  return [lowestIdAt(now.getTime() - KEPT_MS), lowestIdAt(now.getTime() - LONGEST_WRITE_MS)];
}
