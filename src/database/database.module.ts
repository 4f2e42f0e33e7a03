import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { createDataSource } from './data-source.js';
import type { Schema } from './schema.js';

/**
 * The data source for short reads, such as the lookup of an API key. It has connections of its own, so that large batches
 * and waits for locks do not delay them.
 */
export const LOOKUPS = 'lookups';

const LOOKUPS_SHARE = 0.25;

@Module({})
export class DatabaseModule {
  /** @param connections - most connections of both pools, at least two */
  static forRoot(url: string, connections: number, schema: Schema): DynamicModule {
    const forLookups = Math.ceil(connections * LOOKUPS_SHARE);
    return {
      module: DatabaseModule,
      imports: [connect(url, connections - forLookups, schema), connect(url, forLookups, schema, LOOKUPS)],
    };
  }
}

function connect(url: string, connections: number, schema: Schema, name?: string): DynamicModule {
  const dataSource = createDataSource(url, connections, schema);
  return TypeOrmModule.forRootAsync({
    name,
    useFactory: () => ({ ...dataSource.options, name }),
    dataSourceFactory: () => dataSource.initialize(),
  });
}
