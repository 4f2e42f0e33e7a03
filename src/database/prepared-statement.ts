import type { ClientBase, Pool, QueryResultRow } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

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
}

async function connectionOf(on: DataSource | EntityManager): Promise<Pool | ClientBase> {
  return on instanceof DataSource
    ? ((on.driver as PostgresDriver).master as Pool)
    : ((await on.queryRunner!.connect()) as ClientBase);
}
