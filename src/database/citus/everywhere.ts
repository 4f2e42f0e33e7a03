import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { DatabaseError, QueryResult } from 'pg';
import { isMarkedLost, markLost } from '../unavailable.js';
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
/** Questions that may leave out a node for now. Claims may not: nobody would do what a late claim has taken. */
const QUESTION = /^(?:count|find|measure)-/;
const PATIENCE_MS = 500;

type Row = Record<string, number | boolean>;

/** Buckets of one node, and the statement for them. */
interface Part {
  buckets: readonly Bucket[];
  statement: Statement;
}

/** A question that a node was asked, until its rows are a part of a result. */
interface Asked {
  answered: Promise<void>;
  isDone?: boolean;
  rows?: Row[] | undefined;
}

const logger = new Logger('Database');
const askedBy = new WeakMap<SpreadPool, Map<string, Asked>>();

/**
 * Runs a statement in each bucket that it concerns. One of a background task leaves out the buckets where it fails, and those of
 * a node that is down. If a node is slow, what it finds is a part of a later result.
 *
 * @throws what it throws in a bucket, unless it is one of a background task and succeeded in others
 */
export async function runEverywhere(
  pool: SpreadPool,
  statement: Statement,
  route: Extract<Route, { to: 'accounts' | 'all' }>,
): Promise<QueryResult> {
  const name = baseNameOf(statement.name ?? '');
  const parts = route.to === 'all' ? everyNode(pool, statement) : bucketsOfAccounts(pool, statement, route);
  let failure: unknown;
  const fail = (error: unknown, { index, node }: Bucket) => {
    if (!route.isBackground) {
      throw error;
    }
    failure ??= error;
    if (!isMarkedLost(error)) {
      const where = `the accounts of part ${index} on ${node.host}:${node.port}`;
      logger.error(`${name} failed for ${where}: ${(error as DatabaseError).code ?? 'no reply'}`);
    }
  };
  // Callers share a late answer, so the question must be the same for all.
  const mayBeLate = route.isBackground && QUESTION.test(name) && !statement.values?.length;
  const ask = (part: Part, left = Infinity) => {
    const work = () => runOn(pool, part, left, fail);
    return mayBeLate ? soon(pool, `${name} ${part.buckets[0]!.node.groupId}`, work) : work();
  };
  const found: (Row[] | undefined)[] = [];
  if (LIMITED.has(name)) {
    const limit = LIMITED.get(name);
    let left = limit === undefined ? 1 : Number(statement.values![limit]);
    for (let index = 0; index < parts.length && left > 0; index++) {
      found.push(await ask(parts[index]!, left));
      left -= found.at(-1)?.length ?? 0;
    }
  } else {
    found.push(...(await Promise.all(parts.map((part) => ask(part)))));
  }
  const succeeded = found.filter((rows) => rows !== undefined);
  if (succeeded.length === 0 && failure !== undefined) {
    throw failure;
  }
  const rows = combine(name, statement, succeeded.flat());
  return { command: 'SELECT', oid: 0, fields: [], rows, rowCount: rows.length };
}

/** @returns undefined if the node has not answered yet, or the statement failed */
async function soon(
  pool: SpreadPool,
  question: string,
  work: () => Promise<Row[] | undefined>,
): Promise<Row[] | undefined> {
  const questions = askedBy.get(pool) ?? new Map<string, Asked>();
  askedBy.set(pool, questions);
  let asked = questions.get(question);
  if (!asked) {
    const started: Asked = {
      answered: work()
        .then((rows) => void (started.rows = rows))
        .finally(() => (started.isDone = true)),
    };
    asked = started;
    questions.set(question, asked);
  }
  await Promise.race([asked.answered, delay(PATIENCE_MS, undefined, { ref: false })]);
  if (asked.isDone && questions.get(question) === asked) {
    questions.delete(question);
  }
  return asked.rows;
}

/** Runs a statement in all buckets of a node at once, if it can be, or else in one after another. */
async function runOn(
  pool: SpreadPool,
  { buckets, statement }: Part,
  left: number,
  fail: (error: unknown, bucket: Bucket) => void,
): Promise<Row[] | undefined> {
  const name = baseNameOf(statement.name ?? '');
  const limit = LIMITED.get(name);
  const limitedTo = (rows: number) => ({
    ...statement,
    ...(limit !== undefined && { values: statement.values!.with(limit, rows) }),
  });
  const share = Math.floor(left / buckets.length);
  const mayShare = LIMITED.has(name) ? limit !== undefined : /^\s*SELECT\b/i.test(statement.text);
  const rows: Row[] = [];
  // Another bucket comes first each time, so that no accounts always wait for others.
  let rest = rotated(buckets);
  let hasSucceeded = false;
  if (mayShare && share > 0 && buckets.length > 1) {
    try {
      const all = await pool.runInAll(buckets, limitedTo(share));
      rest = rest.filter(({ index }) => all.filter(({ bucket }) => bucket === index).length >= share);
      rows.push(...all.map(({ bucket: _bucket, ...row }) => row));
      hasSucceeded = true;
    } catch (error) {
      if (isMarkedLost(error)) {
        fail(error, buckets[0]!);
        return undefined;
      }
    }
  }
  for (let index = 0; index < rest.length && rows.length < left; index++) {
    try {
      rows.push(...(await runInBucket(pool, rest[index]!, limitedTo(left - rows.length))));
      hasSucceeded = true;
    } catch (error) {
      fail(error, rest[index]!);
      if (isMarkedLost(error)) {
        break;
      }
    }
  }
  return hasSucceeded ? rows : undefined;
}

/** After DDL, plans the statement again in this bucket only, since it may already have run in other buckets. */
async function runInBucket(pool: SpreadPool, { index }: Bucket, statement: Statement): Promise<Row[]> {
  const current = () => pool.topology.buckets[index]!;
  try {
    return (await pool.runIn(current, statement, true)).rows;
  } catch (error) {
    if ((error as DatabaseError).routine !== STALE_PLAN_ROUTINE) {
      throw error;
    }
    const { text, values = [] } = statement;
    return (await pool.runIn(current, { text, values }, true)).rows;
  }
}

/** Each time, another node comes first. */
function everyNode({ topology }: SpreadPool, statement: Statement): Part[] {
  const byNode = new Map<number, Bucket[]>();
  for (const bucket of topology.buckets) {
    byNode.set(bucket.node.groupId, [...(byNode.get(bucket.node.groupId) ?? []), bucket]);
  }
  return rotated([...byNode.values()]).map((buckets) => ({ buckets, statement }));
}

function rotated<Item>(items: readonly Item[]): Item[] {
  const first = Math.floor(Math.random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}

/** An empty set of rows is sent as null. */
function bucketsOfAccounts(
  { topology }: SpreadPool,
  statement: Statement,
  { parameter }: { parameter: number },
): Part[] {
  const { values = [] } = statement;
  const accountIds = (values[parameter - 1] ?? []) as number[];
  const buckets = new Set(accountIds.map((accountId) => topology.bucketOf(accountId)));
  return [...buckets].map((bucket) => ({
    buckets: [bucket],
    statement: {
      ...statement,
      values: values.map((list) =>
        ((list ?? []) as unknown[]).filter((_, index) => topology.bucketOf(accountIds[index]!) === bucket),
      ),
    },
  }));
}

function combine(name: string, { values = [] }: Statement, rows: Row[]): Row[] {
  if (name === NEXT) {
    return [endOfRange(rows, Number(values[1]))];
  }
  if (!AGGREGATES.has(name)) {
    return rows;
  }
  if (rows.length === 0) {
    throw markLost(new Error('no node has answered'));
  }
  return [rows.reduce(addUp)];
}

/** Where the first bucket ends that has more accounts than a pass visits. */
function endOfRange(rows: Row[], accountsPerPass: number): Row {
  const full = rows.filter(({ accounts }) => accounts === accountsPerPass);
  const last = Math.min(...full.map((row) => Number(row.last)));
  return full.length > 0 ? { last, accounts: accountsPerPass } : { last: 0, accounts: 0 };
}

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
