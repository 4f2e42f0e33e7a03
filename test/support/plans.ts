import { getDataSourceToken } from '@nestjs/typeorm';
import { escapeIdentifier, escapeLiteral, type Pool, type PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { LOOKUPS } from '../../src/database/database.module.js';
import { poolOf } from '../../src/database/pool.js';
import { until } from './until.js';
import type { World } from './world.js';

export interface Statement {
  name: string;
  values: unknown[];
}

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** Prepared statements, with the longest values that they were run with, by name and by the parameters that had values. */
export type Statements = Map<string, Statement>;

export interface StatementRecorder {
  /** Records later statements in another map. */
  into(statements: Statements): void;
}

/** Records the statements that the service runs on new connections. */
export function recordStatements({ app }: World, statements: Statements): StatementRecorder {
  let current = statements;
  const record = ({ name, values }: Partial<Statement>) => {
    const key = `${name} ${values?.map(isEmpty)}`;
    if (name !== undefined && values && lengthOf(values) >= lengthOf(current.get(key)?.values ?? [])) {
      current.set(key, { name, values: [...values] });
    }
  };
  const watch = (client: PoolClient) => {
    const query: (...args: unknown[]) => unknown = client.query.bind(client);
    const recordAndQuery = (...args: unknown[]) => {
      record(args[0] as Partial<Statement>);
      return query(...args);
    };
    Object.assign(client, { query: recordAndQuery });
  };
  for (const name of [undefined, LOOKUPS]) {
    poolOf(app.get<DataSource>(getDataSourceToken(name))).on('connect', watch);
  }
  return { into: (others) => (current = others) };
}

/** The rows that each statement handles which the connection of a pool has prepared. */
export async function rowsOfStatements(
  pool: Pool,
  used: Statements,
  mode: string,
): Promise<Record<string, number>> {
  const handled: Record<string, number> = {};
  const client = await pool.connect();
  try {
    await client.query(`SET plan_cache_mode = ${mode}`);
    const { rows } = await client.query<{ name: string }>('SELECT name FROM pg_prepared_statements');
    const prepared = new Set(rows.map(({ name }) => name));
    for (const { name, values } of [...used.values()].filter((one) => prepared.has(one.name))) {
      const call = `${escapeIdentifier(name)}${values.length > 0 ? `(${values.map(literal).join(', ')})` : ''}`;
      await client.query('BEGIN; SET LOCAL statement_timeout = 60000');
      const { rows: plans } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE ${call}`);
      await client.query('ROLLBACK');
      const statement = withoutGeneration(name);
      const rowsOfPlan = rowsHandled(plans[0]['QUERY PLAN'][0].Plan);
      handled[statement] = Math.max(handled[statement] ?? 0, rowsOfPlan);
    }
    return handled;
  } finally {
    client.release();
  }
}

/** All plans are made on new connections, while the tables are empty. */
export async function forbidStatistics(world: World): Promise<void> {
  await stopAutovacuum(world);
  await reconnect(world);
}

/** No table gets statistics by itself anymore. */
export async function stopAutovacuum({ database }: World): Promise<void> {
  const tables = await database.query<{ table: string }>(
    `SELECT relname AS table FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  for (const { table } of tables) {
    await database.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  }
}

/** Replaces the connections of the service. */
export async function reconnect({ database, as, alice, anyone }: World): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'suppression-list' AND datname = '${name}'`,
  );
  await until(async () => {
    const answers = await Promise.all([as(alice).get('/suppressions'), anyone.get('/readyz')]);
    return answers.every(({ status }) => status === 200);
  });
}

/** The name of a statement without the suffix that it has after DDL, which another test in this process may have run. */
function withoutGeneration(name: string): string {
  return name.replace(/#\d+$/, '');
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function lengthOf(values: unknown[]): number {
  return JSON.stringify(values).length;
}

function rowsHandled(node: PlanNode): number {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  const own = (node['Actual Rows'] + removed) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsHandled(child), own);
}

/** A value as SQL, for parameters of any type. */
function literal(value: unknown): string {
  if (value === null || value === undefined) {
    return 'NULL';
  }
  if (Array.isArray(value)) {
    const elements = value.map((element) =>
      element === null ? 'NULL' : `"${text(element).replaceAll(/["\\]/g, '\\$&')}"`,
    );
    return escapeLiteral(`{${elements.join(',')}}`);
  }
  return escapeLiteral(text(value));
}

function text(value: unknown): string {
  if (value instanceof Date) {
    return value.toISOString();
  }
  if (Buffer.isBuffer(value)) {
    return `\\x${value.toString('hex')}`;
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
