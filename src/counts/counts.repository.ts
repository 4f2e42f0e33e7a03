import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountContext } from '../audit/request-context.js';
import { withSocketTimeout } from '../database/connections.js';
import { DeadlineExceededError } from '../database/errors.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ReadReplica } from '../database/read-replica.js';
import { snapshotBefore } from '../database/transaction.js';
import { CAUSES, maskOf } from '../ledger/cause.js';
import { FairLimiter } from '../process/fair-limiter.js';
import {
  filterParameters,
  hasCauses,
  hasDomain,
  idRangeOf,
  type SuppressionFilter,
} from '../suppressions/suppression-filter.js';
import { createdAtOf } from '../suppressions/suppression-id.js';
import { IS_LIVE, LIVE_CAUSES, RECORD_CAUSES } from '../suppressions/suppression.entity.js';

/** A group of the records that pass the filter. `total` is the number of all records that pass. */
export interface CountRow {
  /** A domain, or a day in UTC such as `2026-01-15`. */
  key: string | null;
  /** All causes of the records, as a mask. */
  causes: number | null;
  count: string;
  total: string;
}

/** A count of ten million records takes seconds, and longer on a busy server. */
export const COUNT_TIME_LIMIT_MS = 30_000;

/** Leaves connections for other requests. */
const MAX_CONCURRENT_COUNTS = 2;

/**
 * A count reads every record of the account. For most other statements a sequential scan would be a mistake, so the
 * connection forbids it. `jit` is off on all connections, but a pooler may drop their options.
 */
const SETTINGS = `
  SET LOCAL enable_seqscan = on;
  SET LOCAL enable_bitmapscan = on;
  SET LOCAL parallel_tuple_cost = 0;
  SET LOCAL enable_sort = off;
  SET LOCAL jit = off;
  SET LOCAL work_mem = '64MB';
  SET LOCAL plan_cache_mode = force_custom_plan;
  SET LOCAL statement_timeout = ${COUNT_TIME_LIMIT_MS}`;

/**
 * SQL for the keys to group by, and the number of parallel workers that help. The leader alone groups by
 * domain, so a second worker would only take processor time from it.
 */
const GROUPS = {
  none: { key: 'NULL::text', causes: 'NULL::integer', workers: 4 },
  causes: { key: 'NULL::text', causes: 'causes', workers: 4 },
  'day and causes': { key: `(created_at AT TIME ZONE 'UTC')::date`, causes: 'causes', workers: 4 },
  domain: { key: `split_part(email, '@', -1)`, causes: 'NULL::integer', workers: 1 },
};

export type CountedBy = keyof typeof GROUPS;

const STATEMENTS = Object.fromEntries(
  (Object.keys(GROUPS) as CountedBy[]).map((by) => [by, createStatement(by)]),
) as Record<CountedBy, PreparedStatement<CountRow>>;

function createStatement(by: CountedBy): PreparedStatement<CountRow> {
  const { key, causes } = GROUPS[by];
  return new PreparedStatement(
    `count-suppressions-by-${by.replaceAll(' ', '-')}`,
    `WITH counted AS MATERIALIZED (
      SELECT ${key} AS key, ${causes} AS causes, count(*)
      FROM (
        SELECT email, created_at, ${LIVE_CAUSES} AS causes
        FROM suppressions
        WHERE account_id = $1
          AND ${IS_LIVE}
          AND ($2::text IS NULL OR domain_key(split_part(email, '@', -1), ${RECORD_CAUSES})
            BETWEEN domain_key($2, 0) AND domain_key($2, ${maskOf(CAUSES)}))
          AND ${hasDomain('$2')}
          AND ($3::timestamptz IS NULL OR created_at >= $3)
          AND ($4::timestamptz IS NULL OR created_at < $4)
      ) AS record
      WHERE ${hasCauses('$5')}
      GROUP BY 1, 2
    )
    SELECT key::text, causes, count, (SELECT sum(count) FROM counted) AS total
    FROM counted
    ORDER BY count DESC, key, causes
    LIMIT $6`,
  );
}

export interface CountRequest {
  by: CountedBy;
  filter: SuppressionFilter;
  /** The number of groups to return; by default, all. */
  limit?: number | undefined;
}

@Injectable()
export class CountsRepository {
  private readonly limiter = new FairLimiter(MAX_CONCURRENT_COUNTS);

  constructor(private readonly replica: ReadReplica) {}

  /**
   * Counts in one snapshot of the database. If too many counts are running in this instance, it waits; waiting accounts take
   * turns.
   */
  inSnapshot<Result>(
    context: AccountContext,
    work: (snapshot: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return this.limiter.run(() => this.runInSnapshot(context, work), context.accountId);
  }

  private async runInSnapshot<Result>(
    { accountId, deadline }: AccountContext,
    work: (snapshot: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    if (performance.now() >= deadline) {
      throw new DeadlineExceededError();
    }
    const limits = { accountId, deadline, statementTimeoutMs: COUNT_TIME_LIMIT_MS };
    return this.replica.read((dataSource) =>
      snapshotBefore(dataSource, limits, SETTINGS, (snapshot) =>
        withSocketTimeout(snapshot, COUNT_TIME_LIMIT_MS, () => work(snapshot)),
      ),
    );
  }

  /** Counts records in groups, the largest first. */
  async count(
    accountId: number,
    snapshot: EntityManager,
    { by, filter, limit }: CountRequest,
  ): Promise<CountRow[]> {
    await snapshot.query(`SET LOCAL max_parallel_workers_per_gather = ${GROUPS[by].workers}`);
    const [masks, domain] = filterParameters(filter);
    return STATEMENTS[by].run(snapshot, [accountId, domain, ...timeRangeOf(filter), masks, limit ?? null]);
  }
}

/** The start and the end (exclusive) of the creation times that a filter allows; null where there is no limit. */
export function timeRangeOf(filter: SuppressionFilter): (string | null)[] {
  const { lowest, end } = idRangeOf(filter);
  return [
    filter.createdFrom === undefined ? null : createdAtOf(lowest),
    filter.createdBefore === undefined ? null : createdAtOf(end),
  ];
}
