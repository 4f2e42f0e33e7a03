import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { SpreadPool } from './citus/spread-pool.js';
import type { ServingPool } from './serving-pool.js';

/** The connections that TypeORM holds. A {@link SpreadPool} takes the place of a `ServingPool` on Citus. */
export function poolOf(dataSource: DataSource): ServingPool {
  return (dataSource.driver as PostgresDriver).master as ServingPool;
}

/**
 * Runs a statement or a transaction once it is the turn of its account. It must not wait for another turn.
 *
 * @param accountId - undefined for work about several accounts, or about none
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
