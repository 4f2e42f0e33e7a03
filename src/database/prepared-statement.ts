import type { ClientBase, Pool, QueryResultRow } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { ServiceUnavailableError } from '../http/errors.js';
import { STATEMENT_TIMEOUT_MS } from './data-source.js';

/** For the way of an answer, and for a machine that is busy. */
const MARGIN_MS = 200;

/** What a write is part of: a transaction, or a request whose caller is answered by then, on the clock of `performance`. */
export type Within = { transaction: EntityManager } | { answeredBy: number };

/**
 * A statement that each connection parses and plans once, on the pool that TypeORM holds: TypeORM itself has no way to
 * name a statement.
 */
export class PreparedStatement<Row extends QueryResultRow> {
  /** @param name - unique among the statements of the service, for it is how PostgreSQL knows it */
  constructor(
    private readonly name: string,
    private readonly text: string,
  ) {}

  /** @param on - a transaction to be part of, or the data source, where the statement is one of its own */
  async run(on: DataSource | EntityManager, values: unknown[]): Promise<Row[]> {
    const connection = await connectionOf(on);
    const { rows } = await connection.query<Row>({ name: this.name, text: this.text, values });
    return rows;
  }

  /**
   * Runs a statement that writes. On its own it ends before its caller has been answered 503: what was refused must not
   * happen later, behind the caller's back.
   *
   * @throws {ServiceUnavailableError} when there is no time left
   */
  async write(dataSource: DataSource, within: Within, values: unknown[]): Promise<Row[]> {
    if ('transaction' in within) {
      return this.run(within.transaction, values);
    }
    const client = await poolOf(dataSource).connect();
    const left = Math.floor(within.answeredBy - MARGIN_MS - performance.now());
    const isShort = left < STATEMENT_TIMEOUT_MS;
    try {
      if (left <= 0) {
        throw new ServiceUnavailableError();
      }
      if (isShort) {
        await client.query(`SET statement_timeout = ${left}`);
      }
      const { rows } = await client.query<Row>({ name: this.name, text: this.text, values });
      return rows;
    } finally {
      if (isShort) {
        client.query('RESET statement_timeout').then(
          () => client.release(),
          () => client.release(true),
        );
      } else {
        client.release();
      }
    }
  }
}

function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as PostgresDriver).master as Pool;
}

async function connectionOf(on: DataSource | EntityManager): Promise<Pool | ClientBase> {
  return on instanceof DataSource ? poolOf(on) : ((await on.queryRunner!.connect()) as ClientBase);
}
