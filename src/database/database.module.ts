import { Module, type DynamicModule } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { createDataSource } from './data-source.js';
import { ReadReplica } from './read-replica.js';
import { requireUsablePooler } from './startup/requirements.js';
import type { Schema } from './startup/schema.js';

/**
 * The data source for short reads, such as the lookup of an API key. It has connections of its own, so that large batches
 * and waits for locks do not delay them.
 */
export const LOOKUPS = 'lookups';

/** The data source for `/readyz`. Its one connection stays open, so that an instance that is only busy remains ready. */
export const PROBES = 'probes';

const LOOKUPS_SHARE = 0.25;

@Module({})
export class DatabaseModule {
  /**
   * @param connections - the most connections to the primary, at least two, besides the one for probes
   * @param replicaUrl - a read replica, with a pool as large as the larger one
   */
  static forRoot(
    url: string,
    connections: number,
    schema: Schema,
    replicaUrl: string | undefined,
  ): DynamicModule {
    const forLookups = Math.ceil(connections * LOOKUPS_SHARE);
    const forOthers = connections - forLookups;
    const readReplica = {
      provide: ReadReplica,
      inject: [getDataSourceToken()],
      useFactory: (primary: DataSource) =>
        new ReadReplica(primary, replicaUrl ? () => openReplica(replicaUrl, forOthers, schema) : undefined),
    };
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        connect(createDataSource(url, forOthers, schema)),
        connect(createDataSource(url, forLookups, schema), LOOKUPS),
        connect(createDataSource(url, 1, { ...schema, entities: [] }, { forProbes: true }), PROBES),
      ],
      providers: [readReplica],
      exports: [ReadReplica],
    };
  }
}

async function openReplica(url: string, connections: number, schema: Schema): Promise<DataSource> {
  await requireUsablePooler(url, 'DATABASE_REPLICA_URL');
  return createDataSource(url, connections, schema).initialize();
}

function connect(dataSource: DataSource, name?: string): DynamicModule {
  return TypeOrmModule.forRootAsync({
    name,
    useFactory: () => ({ ...dataSource.options, name }),
    dataSourceFactory: () => dataSource.initialize(),
  });
}
