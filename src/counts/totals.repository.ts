import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountContext } from '../audit/request-context.js';
import { STATEMENT_TIMEOUT_MS } from '../database/connections.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ReadReplica } from '../database/read-replica.js';
import { snapshotBefore } from '../database/transaction.js';
import { filterParameters, hasCauses, type SuppressionFilter } from '../suppressions/suppression-filter.js';
import { LIVE_CAUSES, RECORD_CAUSES } from '../suppressions/suppression.entity.js';
import { timeRangeOf, type CountedBy, type CountRequest, type CountRow } from './counts.repository.js';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Changes that are missing from the totals: pending changes, and causes that have expired but are still on the list. */
const CHANGES = `
  SELECT domain, day, abs(entry.causes) AS causes, sign(entry.causes)::bigint AS count
  FROM pending_totals
  CROSS JOIN LATERAL unnest(domains, days, causes) AS entry (domain, day, causes)
  WHERE account_id = $1
  UNION ALL
  SELECT split_part(email, '@', -1), (created_at AT TIME ZONE 'UTC')::date, entry.causes, entry.count
  FROM suppressions
  CROSS JOIN LATERAL (VALUES (${RECORD_CAUSES}, -1), (${LIVE_CAUSES}, 1)) AS entry (causes, count)
  WHERE account_id = $1 AND expires_at <= now() AND entry.causes <> 0`;

/** An account with more pending rows is counted again. Each row stands for a statement that changed up to 1,000 records. */
export const MAX_PENDING_ROWS = 20_000;
/** If more records are pending, reads count the records instead. */
const MAX_PENDING_RECORDS = 1_000_000;

const IS_COUNTED = new PreparedStatement<{ isCounted: boolean }>(
  'find-counted-account',
  `SELECT EXISTS (SELECT FROM counted_accounts WHERE account_id = $1) AND (
    SELECT count(*) <= ${MAX_PENDING_ROWS} AND coalesce(sum(cardinality(causes)), 0) <= ${MAX_PENDING_RECORDS}
    FROM (SELECT causes FROM pending_totals WHERE account_id = $1 LIMIT ${MAX_PENDING_ROWS + 1}) AS pending
  ) AS "isCounted"`,
);

const byDays = (name: string, key: string) =>
  new PreparedStatement<CountRow>(
    name,
    `WITH counted AS (
      SELECT ${key} AS key, causes, sum(count) AS count
      FROM (
        SELECT day, causes, count FROM day_totals WHERE account_id = $1
        UNION ALL
        SELECT day, causes, count FROM (${CHANGES}) AS change
      ) AS record
      WHERE ($2::timestamptz IS NULL OR day >= ($2 AT TIME ZONE 'UTC')::date)
        AND ($3::timestamptz IS NULL OR day < ($3 AT TIME ZONE 'UTC')::date)
        AND ${hasCauses('$4')}
      GROUP BY 1, 2
      HAVING sum(count) <> 0
    )
    SELECT key, causes, count, sum(count) OVER () AS total
    FROM counted`,
  );

const OF_CAUSES = byDays('read-totals-of-causes', 'NULL::text');
const OF_DAYS = byDays('read-totals-of-days', 'day::text');

const OF_DOMAIN = new PreparedStatement<CountRow>(
  'read-total-of-domain',
  `SELECT $2 AS key, NULL AS causes, sum(count) AS count, sum(count) AS total
  FROM (
    SELECT count FROM domain_totals WHERE account_id = $1 AND domain = $2
    UNION ALL
    SELECT count FROM (${CHANGES}) AS change WHERE domain = $2
  ) AS record
  HAVING sum(count) > 0`,
);

/** Each changed domain may drop out of the largest ones, so as many additional domains are read. */
const OF_LARGEST_DOMAINS = new PreparedStatement<CountRow>(
  'read-totals-of-domains',
  `WITH change AS MATERIALIZED (
    SELECT domain, sum(count) AS count FROM (${CHANGES}) AS change GROUP BY domain
  ),
  largest AS (
    SELECT domain, count
    FROM domain_totals
    WHERE account_id = $1
    ORDER BY count DESC, domain
    LIMIT $2 + (SELECT count(*) FROM change)
  ),
  counted AS (
    SELECT domain, count FROM largest WHERE domain NOT IN (SELECT domain FROM change)
    UNION ALL
    SELECT change.domain, change.count + coalesce(domain_totals.count, 0)
    FROM change
    LEFT JOIN domain_totals ON account_id = $1 AND domain_totals.domain = change.domain
  )
  SELECT
    domain AS key,
    NULL AS causes,
    count,
    (SELECT coalesce(sum(count), 0) FROM day_totals WHERE account_id = $1) + (SELECT coalesce(sum(count), 0) FROM change) AS total
  FROM counted
  WHERE count > 0
  ORDER BY count DESC, domain
  LIMIT $2`,
);

/** Counts from totals that a background task maintains, in a time that does not depend on the length of the list. */
@Injectable()
export class TotalsRepository {
  constructor(private readonly replica: ReadReplica) {}

  /**
   * Reads totals in one snapshot of the database. They include every change that was committed before.
   *
   * @returns null if the records of the account have not been counted yet, or too many changes are pending
   */
  inSnapshot<Result>(
    { accountId, deadline }: AccountContext,
    work: (snapshot: EntityManager) => Promise<Result>,
  ): Promise<Result | null> {
    const limits = { accountId, deadline, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
    return this.replica.read((dataSource) =>
      snapshotBefore(dataSource, limits, '', async (snapshot) => {
        const [account] = await IS_COUNTED.run(snapshot, [accountId]);
        return account!.isCounted ? work(snapshot) : null;
      }),
    );
  }

  /** @param filter - one for which {@link haveTotals} returns true */
  async count(
    accountId: number,
    snapshot: EntityManager,
    { by, filter, limit }: CountRequest,
  ): Promise<CountRow[]> {
    if (filter.domain !== undefined) {
      return OF_DOMAIN.run(snapshot, [accountId, filter.domain]);
    }
    if (by === 'domain') {
      return OF_LARGEST_DOMAINS.run(snapshot, [accountId, limit ?? null]);
    }
    const statement = by === 'day and causes' ? OF_DAYS : OF_CAUSES;
    const [masks] = filterParameters(filter);
    return statement.run(snapshot, [accountId, ...timeRangeOf(filter), masks]);
  }
}

/** Whether the totals suffice: totals by domain have no causes and days, and totals by day have no domains. */
export function haveTotals(by: CountedBy, filter: SuppressionFilter): boolean {
  const { domain, createdFrom, createdBefore, origin, cause } = filter;
  const times = [createdFrom, createdBefore].filter((time) => time !== undefined);
  return by === 'domain' || domain !== undefined
    ? (by === 'domain' || by === 'none') && !origin && !cause && times.length === 0
    : times.every((time) => time % DAY_MS === 0);
}
