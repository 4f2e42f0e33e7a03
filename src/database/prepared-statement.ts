import type { Pool, QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';
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

  async run(dataSource: DataSource, values: unknown[]): Promise<Row[]> {
    const pool = (dataSource.driver as PostgresDriver).master as Pool;
    const { rows } = await pool.query<Row>({ name: this.name, text: this.text, values });
    return rows;
  }
}
