import { Logger } from '@nestjs/common';
import type { DatabaseError, QueryResult } from 'pg';
import { isMarkedLost } from '../unavailable.js';
import { baseNameOf, STALE_PLAN_ROUTINE } from '../statement-name.js';
import type { Route } from './routes.js';
import type { SpreadPool } from './spread-pool.js';
import type { Statement } from './statements.js';
import type { Bucket } from './topology.js';

/** Statements that return one row in each bucket. */
const AGGREGATES = new Set([
  'count-open-incidents',
  'delete-expired-events',
  'find-waiting-job',
  'find-waiting-job-of-another-account',
  'measure-jobs',
]);
/** Statements that take one row, or as many as a parameter says. */
const LIMITED = new Map([
  ['claim-webhooks', 2],
  ['claim-some-webhooks', 2],
  ['claim-provider-lists', 1],
  ['claim-job', undefined],
  ['find-lift-with-old-lines', undefined],
]);

const NEXT = 'find-next-webhooks';

type FannedOut = Extract<Route, { to: 'accounts' | 'all' }>;

const logger = new Logger('Database');

/**
 * Runs a statement in each bucket that it concerns. One of a background task leaves out the buckets where it fails, and those of a
 * node that is down.
 *
 * @throws what it throws in a bucket, unless it is one of a background task and succeeded in others
 */
export async function runEverywhere(
  pool: SpreadPool,
  statement: Statement,
  route: FannedOut,
): Promise<QueryResult> {
  const parts =
    route.to === 'all' ? everyBucket(pool, statement) : bucketsOfAccounts(pool, statement, route.parameter);
  const results: QueryResult[] = [];
  const name = baseNameOf(statement.name ?? '');
  const limit = LIMITED.get(name);
  let left = LIMITED.has(name) ? Number(limit === undefined ? 1 : statement.values![limit]) : Infinity;
  let failure: unknown;
  const lostNodes = new Set<number>();
  for (const { bucket, values } of parts) {
    if (left <= 0 || lostNodes.has(bucket.node.groupId)) {
      continue;
    }
    const limited = limit === undefined ? values : values.with(limit, left);
    try {
      const result = await runInBucket(pool, bucket, { ...statement, values: limited });
      left -= result.rows.length;
      results.push(result);
    } catch (error) {
      if (!route.isBackground) {
        throw error;
      }
      failure ??= error;
      if (isMarkedLost(error)) {
        lostNodes.add(bucket.node.groupId);
      } else {
        logger.error(
          `${name} failed for ${describe(bucket)}: ${(error as DatabaseError).code ?? 'no reply'}`,
        );
      }
    }
  }
  if (results.length === 0 && failure !== undefined) {
    throw failure;
  }
  return combine(name, statement, results);
}

/** After DDL, plans the statement again in this bucket only, since it may already have run in other buckets. */
async function runInBucket(pool: SpreadPool, { index }: Bucket, statement: Statement): Promise<QueryResult> {
  const current = () => pool.topology.buckets[index]!;
  try {
    return await pool.runIn(current, statement, true);
  } catch (error) {
    if ((error as DatabaseError).routine !== STALE_PLAN_ROUTINE) {
      throw error;
    }
    const { text, values = [] } = statement;
    return pool.runIn(current, { text, values }, true);
  }
}

const describe = ({ index, node }: Bucket): string =>
  `the accounts of part ${index} on ${node.host}:${node.port}`;

interface Part {
  bucket: Bucket;
  values: unknown[];
}

function everyBucket({ topology }: SpreadPool, { values = [] }: Statement): Part[] {
  const first = Math.floor(Math.random() * topology.buckets.length);
  return [...topology.buckets.slice(first), ...topology.buckets.slice(0, first)].map((bucket) => ({
    bucket,
    values,
  }));
}

/** An empty set of rows is sent as null. */
function bucketsOfAccounts({ topology }: SpreadPool, { values = [] }: Statement, parameter: number): Part[] {
  const accountIds = (values[parameter - 1] ?? []) as number[];
  return topology.buckets
    .map((bucket) => ({
      bucket,
      values: values.map((list) =>
        ((list ?? []) as unknown[]).filter((_, index) => topology.bucketOf(accountIds[index]!) === bucket),
      ),
    }))
    .filter((part) => (part.values[parameter - 1] as unknown[]).length > 0);
}

function combine(name: string, { values = [] }: Statement, results: QueryResult[]): QueryResult {
  const [first] = results;
  const rows = results.flatMap((result) => result.rows as Row[]);
  const combined = AGGREGATES.has(name)
    ? [rows.reduce(addUp)]
    : name === NEXT
      ? [endOfRange(rows, Number(values[1]))]
      : rows;
  return {
    ...first,
    rows: combined,
    rowCount: results.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0),
  } as QueryResult;
}

/** Where the first bucket ends that has more accounts than a pass visits. */
function endOfRange(rows: Row[], accountsPerPass: number): Row {
  const full = rows.filter(({ accounts }) => accounts === accountsPerPass);
  const last = Math.min(...full.map((row) => Number(row.last)));
  return full.length > 0 ? { last, accounts: accountsPerPass } : { last: 0, accounts: 0 };
}

type Row = Record<string, number | boolean>;

/** Adds numbers, but for those of seconds, of which the most count. */
function addUp(sum: Row, row: Row): Row {
  const columns = Object.entries(row).map(([name, value]) => {
    const other = sum[name]!;
    if (typeof value === 'boolean') {
      return [name, value || other];
    }
    return [name, name.endsWith('Seconds') ? Math.max(value, Number(other)) : value + Number(other)];
  });
  return Object.fromEntries(columns) as Row;
}
