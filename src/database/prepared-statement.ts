import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import type { ClientBase, DatabaseError, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { inSpan } from '../tracing/tracing.js';
import { routeOf, type Route } from './citus/routes.js';
import { SpreadPool } from './citus/spread-pool.js';
import { STATEMENT_TIMEOUT_MS } from './connections.js';
import { isMarkedLost, STALE_PLAN_ROUTINE, StalePlanError, withMark } from './errors.js';
import { inTurn, poolOf } from './pool.js';
import { connectionInTime, requireTime, retryOnce, type WriteContext } from './transaction.js';

/** A suffix of all statement names. It changes after DDL, so that every connection parses the statements again. */
let generation = 0;

/** The texts of all statements, by their names. */
export const STATEMENTS = new Map<string, string>();

interface Connection {
  query<Row extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<Row>>;
}

/**
 * A statement that each connection parses and plans once. It uses the pool behind TypeORM, because TypeORM itself cannot name a
 * statement.
 */
export class PreparedStatement<Row extends QueryResultRow> {
  private readonly span: SpanOptions;
  private route?: Route;

  /** @param name - unique in the service */
  constructor(
    private readonly name: string,
    private readonly text: string,
  ) {
    const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': name };
    this.span = { kind: SpanKind.CLIENT, attributes };
    STATEMENTS.set(name, text);
  }

  /**
   * @param on - a transaction of {@link transactionBefore}, or the data source to run the statement alone
   * @throws {DeadlineExceededError} if the transaction has no time left
   */
  run(on: DataSource | EntityManager, values: unknown[]): Promise<Row[]> {
    return inSpan(this.name, this.span, () => this.runOn(on, values));
  }

  private async runOn(on: DataSource | EntityManager, values: unknown[]): Promise<Row[]> {
    if (on instanceof DataSource) {
      return inTurn(on, this.accountIn(values), () => retryOnce(() => this.execute(poolOf(on), values)));
    }
    return this.execute(connectionInTime(on), values);
  }

  /**
   * Runs a statement that writes, in a transaction or alone. Alone, it ends before its deadline, because a request that got
   * 503 must not change anything later.
   *
   * @throws {DeadlineExceededError} if there is no time left
   */
  write(dataSource: DataSource, context: WriteContext, values: unknown[]): Promise<Row[]> {
    if (!('deadline' in context)) {
      return this.run(context, values);
    }
    const write = () => retryOnce(() => this.writeInTime(dataSource, context.deadline, values));
    return inSpan(this.name, this.span, () => inTurn(dataSource, this.accountIn(values), write));
  }

  private async writeInTime(dataSource: DataSource, deadline: number, values: unknown[]): Promise<Row[]> {
    const begin = () =>
      `BEGIN; SET LOCAL statement_timeout = ${Math.min(requireTime(deadline), STATEMENT_TIMEOUT_MS)}`;
    const pool = poolOf(dataSource);
    if (pool instanceof SpreadPool) {
      return this.execute(pool.transactionsOfOne(begin), values);
    }
    const client = await pool.connect();
    try {
      if (requireTime(deadline) >= STATEMENT_TIMEOUT_MS) {
        return await this.execute(client, values);
      }
      return await inTransaction(client, begin(), async () => {
        const rows = await this.execute(client, values);
        requireTime(deadline);
        return rows;
      });
    } finally {
      client.release();
    }
  }

  /** The account that the statement is about; undefined if it is about several. */
  private accountIn(values: unknown[]): number | undefined {
    this.route ??= routeOf(this.text, this.name);
    const { to } = this.route;
    const parameter = to === 'account' || to === 'coordinator' ? this.route.parameter : undefined;
    return parameter === undefined ? undefined : Number(values[parameter - 1]);
  }

  /** @throws {StalePlanError} if the statement must run again, under its new name */
  private async execute(connection: Connection, values: unknown[]): Promise<Row[]> {
    const { name, text } = this;
    const usedGeneration = generation;
    try {
      const sent = [...values];
      const result = await connection.query<Row>({ name: nameIn(usedGeneration, name), text, values: sent });
      const { rows } = result;
      clearResult(sent, result);
      return rows;
    } catch (error) {
      if ((error as DatabaseError).routine !== STALE_PLAN_ROUTINE) {
        throw withMark(error);
      }
      generation = Math.max(generation, usedGeneration + 1);
      throw new StalePlanError();
    }
  }
}

/** The name under which a statement is prepared in a generation of plans. `baseNameOf` removes the generation. */
function nameIn(ofGeneration: number, name: string): string {
  return ofGeneration === 0 ? name : `${name}#${ofGeneration}`;
}

/**
 * Clears the values and rows of a finished query of `pg`. Otherwise V8 promotes each query to its old generation with all that
 * it refers to, which cost an import 40 MiB.
 */
function clearResult(values: unknown[], result: QueryResult): void {
  values.length = 0;
  result.rows = [];
}

async function inTransaction<Result>(
  client: ClientBase,
  begin: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    await send(client, begin);
    const result = await work();
    await send(client, 'COMMIT');
    return result;
  } catch (error) {
    if (!isMarkedLost(error)) {
      await send(client, 'ROLLBACK');
    }
    throw error;
  }
}

async function send(client: ClientBase, sql: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    throw withMark(error);
  }
}
