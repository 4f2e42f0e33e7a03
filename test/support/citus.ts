import pg, { type QueryResultRow } from 'pg';
import { requireSpread, topologyOf } from '../../src/database/citus/spread-database.js';
import { SpreadPool } from '../../src/database/citus/spread-pool.js';
import { tablesIn } from '../../src/database/citus/shard-text.js';
import { TABLES } from '../../src/database/citus/tables.js';

type Query = <Row extends QueryResultRow>(sql: string, values?: unknown[]) => Promise<Row[]>;

const ACCOUNT = /account_id"?\s*=\s*(?:\$(\d+)|(\d+))/;
const INSERTED = /\bINTO\s+"?\w+"?(?:\s+AS\s+"?\w+"?)?\s*\(([^)]*)\)\s*(?:VALUES\s*\(|SELECT\s+)([^)]*)/i;

/** Runs the SQL of tests as the service runs its own: on the shards of the account that it names, or on all of them. */
export async function queryShards(
  url: string,
  plain: Query,
): Promise<{
  query: Query;
  onShards(sql: string): string;
  shardsOf(table: string): string;
  close(): Promise<void>;
}> {
  await requireSpread(url, url);
  const topology = topologyOf(url)!;
  const pool = new SpreadPool({
    connectionString: url,
    max: 2,
    topology,
    Client: pg.Client,
  });
  pool.on('error', () => undefined);
  const query: Query = async (sql, values = []) => {
    if (
      /^\s*(?:ALTER|CREATE|DROP|TRUNCATE|LOCK|ANALYZE|VACUUM|SET|REINDEX|COMMENT)\b/i.test(sql) ||
      !isDivided(sql)
    ) {
      return plain(sql, values);
    }
    const account = accountOf(sql, values);
    const buckets = account === undefined ? topology.buckets : [topology.bucketOf(account)];
    const rows = [];
    for (const bucket of buckets) {
      rows.push((await pool.buckets.run(() => bucket, { text: sql, values }, true)).rows);
    }
    return isCount(sql) && rows.length > 1 ? [rows.map(([row]) => row).reduce(add)] : rows.flat();
  };
  const onShards = (sql: string) => topology.buckets.map(({ names }) => names.insertInto(sql)).join('; ');
  /** With the table itself, if the shards have copies of its rows. */
  const shardsOf = (table: string) => {
    const shards = topology.buckets.map(({ names }) => names.insertInto(`FROM ${table}`).split(' ')[1]);
    return [...(TABLES[table] === 'copied' ? [table] : []), ...shards].join(', ');
  };
  return { query, onShards, shardsOf, close: () => pool.end() };
}

const isDivided = (sql: string): boolean => tablesIn(sql).some((table) => TABLES[table] === 'distributed');

function accountOf(sql: string, values: unknown[]): number | undefined {
  const [, parameter, literal] = ACCOUNT.exec(sql) ?? [];
  if (parameter !== undefined || literal !== undefined) {
    return Number(literal ?? values[Number(parameter) - 1]);
  }
  const [, columns, inserted] = INSERTED.exec(sql) ?? [];
  const index = columns?.split(',').findIndex((column) => /^\s*"?account_id"?\s*$/.test(column)) ?? -1;
  const value = inserted?.split(',')[index]?.trim() ?? '';
  const found = /^\$(\d+)/.exec(value)?.[1];
  return found === undefined
    ? /^\d+/.test(value)
      ? parseInt(value, 10)
      : undefined
    : Number(values[Number(found) - 1]);
}

const isCount = (sql: string): boolean =>
  /^\s*SELECT\s+(?:count|sum|coalesce\(sum|max)\(/i.test(sql) && !/GROUP BY/i.test(sql);

function add(sum: Record<string, unknown>, row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? String(Number(value) + Number(sum[name]))
        : Number(value) + Number(sum[name]),
    ]),
  );
}
