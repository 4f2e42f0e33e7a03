import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { SpreadPool } from './citus/spread-pool.js';
import type { ServingPool } from './serving-data-source.js';

/** The connections that TypeORM holds. */
export function poolOf(dataSource: DataSource): ServingPool {
  return (dataSource.driver as PostgresDriver).master as ServingPool;
}

/**
 * Runs work that needs a connection once it is the turn of its account.
 *
 * @param accountId - undefined for work of the service itself
 */
export function inTurn<Result>(
  dataSource: DataSource,
  accountId: number | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const pool = poolOf(dataSource);
  const turns = pool instanceof SpreadPool ? pool.turnsOf(accountId) : pool.turns;
  return turns.run(work, accountId);
}
