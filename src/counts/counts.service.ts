import { Injectable } from '@nestjs/common';
import type { AccountContext } from '../audit/request-context.js';
import { CAUSES, causesIn, originOf, type Cause } from '../ledger/cause.js';
import type { SuppressionFilter } from '../suppressions/suppression-filter.js';
import { countChangesByDay, type DailyChanges } from './changes-by-day.js';
import { CountsRepository, type CountedBy, type CountRequest, type CountRow } from './counts.repository.js';
import { DAY_MS, haveTotals, TotalsRepository } from './totals.repository.js';

export const GROUPINGS = ['origin', 'cause', 'domain', 'day', 'month'] as const;

export type Grouping = (typeof GROUPINGS)[number];

export interface CountedGroup {
  /** An origin, a cause, a domain, a day in UTC such as `2026-01-15`, or a month such as `2026-01`. */
  key: string;
  count: number;
}

/** A list may have as many domains as addresses. */
export const MAX_DOMAINS = 1_000;
const SUMMARY_DAYS = 30;
const SUMMARY_DOMAINS = 10;
const DAY_LENGTH = '2026-01-15'.length;
const MONTH_LENGTH = '2026-01'.length;

export interface Count {
  total: number;
  groups: CountedGroup[];
}

/** How many records have each cause. A record with several causes is counted under each. */
export type CauseCounts = Record<Cause, number>;

export interface Summary {
  total: number;
  causes: CauseCounts;
  /** The last 30 days in UTC, including today, oldest first, by the day on which the records were created. */
  days: (CauseCounts & { day: string })[];
  domains: CountedGroup[];
}

/** Counts records in groups, the largest first. */
type CountRows = (request: CountRequest) => Promise<CountRow[]>;

@Injectable()
export class CountsService {
  constructor(
    private readonly counts: CountsRepository,
    private readonly totals: TotalsRepository,
  ) {}

  /**
   * Counts the records that pass a filter. Groups by day or month are in chronological order; others begin with the largest.
   */
  async count(
    context: AccountContext,
    filter: SuppressionFilter,
    grouping: Grouping | undefined,
  ): Promise<Count> {
    const read = (by: CountedBy, limit?: number) =>
      haveTotals(by, filter)
        ? this.inSnapshot(context, (count) => count({ by, filter, limit }))
        : this.byRecords(context, (count) => count({ by, filter, limit }));
    switch (grouping) {
      case undefined:
        return toCount(await read('none'), () => []);
      case 'origin':
        return toCount(await read('causes'), ({ causes }) => [originOf(causesIn(causes!)[0]!)]);
      case 'cause':
        return toCount(await read('causes'), ({ causes }) => causesIn(causes!));
      case 'domain':
        return toCount(await read('domain', MAX_DOMAINS), ({ key }) => [key!]);
      case 'day':
      case 'month': {
        const length = grouping === 'day' ? DAY_LENGTH : MONTH_LENGTH;
        const { total, groups } = toCount(await read('day and causes'), ({ key }) => [key!.slice(0, length)]);
        return { total, groups: groups.toSorted((one, other) => (one.key < other.key ? -1 : 1)) };
      }
    }
  }

  changesByDay(context: AccountContext, since: Date): Promise<DailyChanges[]> {
    return this.counts.inSnapshot(context, (snapshot) =>
      countChangesByDay(context.accountId, since, snapshot),
    );
  }

  async summarize(context: AccountContext, now: Date): Promise<Summary> {
    const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
    const createdFrom = today - (SUMMARY_DAYS - 1) * DAY_MS;
    const [byCauses, byDay, byDomain] = await this.inSnapshot(
      context,
      async (count) =>
        [
          await count({ by: 'causes', filter: {} }),
          await count({ by: 'day and causes', filter: { createdFrom } }),
          await count({ by: 'domain', filter: {}, limit: SUMMARY_DOMAINS }),
        ] as const,
    );
    return {
      total: totalOf(byCauses),
      causes: toCauseCounts(byCauses),
      days: Array.from({ length: SUMMARY_DAYS }, (_, index) => {
        const day = new Date(createdFrom + index * DAY_MS).toISOString().slice(0, 10);
        return { day, ...toCauseCounts(byDay.filter((row) => row.key === day)) };
      }),
      domains: toCount(byDomain, ({ key }) => [key!]).groups,
    };
  }

  /** Counts from the totals, or from the records while the account has no totals. */
  private async inSnapshot<Result>(
    context: AccountContext,
    work: (count: CountRows) => Promise<Result>,
  ): Promise<Result> {
    const result = await this.totals.inSnapshot(context, (snapshot) =>
      work((request) => this.totals.count(context.accountId, snapshot, request)),
    );
    return result ?? this.byRecords(context, work);
  }

  private byRecords<Result>(
    context: AccountContext,
    work: (count: CountRows) => Promise<Result>,
  ): Promise<Result> {
    return this.counts.inSnapshot(context, (snapshot) =>
      work((request) => this.counts.count(context.accountId, snapshot, request)),
    );
  }
}

function totalOf([row]: CountRow[]): number {
  return Number(row?.total ?? 0);
}

/** @param keysOf - the groups to which the records of a row belong */
function toCount(rows: CountRow[], keysOf: (row: CountRow) => readonly string[]): Count {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const key of keysOf(row)) {
      counts.set(key, (counts.get(key) ?? 0) + Number(row.count));
    }
  }
  const groups = [...counts].map(([key, count]) => ({ key, count }));
  return { total: totalOf(rows), groups: groups.toSorted(largestFirst) };
}

function largestFirst(one: CountedGroup, other: CountedGroup): number {
  return other.count - one.count || (one.key < other.key ? -1 : 1);
}

function toCauseCounts(rows: CountRow[]): CauseCounts {
  const { groups } = toCount(rows, ({ causes }) => causesIn(causes!));
  const countOf = (cause: Cause) => groups.find(({ key }) => key === cause)?.count ?? 0;
  return Object.fromEntries(CAUSES.map((cause) => [cause, countOf(cause)])) as CauseCounts;
}
