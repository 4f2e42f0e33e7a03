import pg from 'pg';
import { DataSource } from 'typeorm';
import { topologyOf } from './citus/spread-database.js';
import { SpreadPool } from './citus/spread-pool.js';
import { CONNECT_TIMEOUT_MS, createClientClass, MigrationClient } from './connections.js';
import { ServingDataSource } from './serving-data-source.js';
import { ServingPool } from './serving-pool.js';
import { Servers } from './servers.js';
import { recordingChecksum } from './startup/checksums.js';
import type { Schema } from './startup/schema.js';

/**
 * Creates the connection pool of an instance. Statements and connection attempts time out after four seconds.
 *
 * @param url - PostgreSQL 15 or newer. With several hosts, the one that accepts writes is used
 * @param options.forProbes - keeps idle connections and, on Citus, connects to the coordinator only
 */
export function createDataSource(
  url: string,
  poolSize: number,
  { entities, migrations }: Schema,
  { forProbes = false } = {},
): DataSource {
  const servers = new Servers(url);
  const topology = forProbes ? undefined : topologyOf(url);
  return new ServingDataSource({
    type: 'postgres',
    driver: Object.assign(Object.create(pg), { Pool: topology ? SpreadPool : ServingPool }),
    url: servers.urls[0]!,
    applicationName: 'suppression-list',
    entities,
    migrations,
    poolSize,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: {
      Client: createClientClass(servers),
      keepAlive: true,
      min: forProbes ? poolSize : 0,
      ...(topology && { topology }),
    },
  });
}

/** Creates a pool of one connection without time limits, for migrations. TypeORM's default logger prints those that fail. */
export function createMigrationDataSource(url: string, { migrations }: Schema): DataSource {
  return new DataSource({
    type: 'postgres',
    driver: pg,
    url,
    applicationName: 'suppression-list-migrate',
    logger: 'debug',
    migrations: migrations.map((migration) => recordingChecksum(url, migration)),
    migrationsTransactionMode: 'each',
    poolSize: 1,
    extra: { Client: MigrationClient },
  });
}

/** Runs work on a connection for migrations. */
export async function withMigrations<Result>(
  url: string,
  schema: Schema,
  work: (dataSource: DataSource) => Promise<Result>,
): Promise<Result> {
  const dataSource = await createMigrationDataSource(url, schema).initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
