import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { createDataSource } from './data-source.js';
import type { Schema } from './schema.js';

/**
 * The data source of what must not wait: finding a caller, and looking up one record. Its connections are its own, so
 * that nobody's big batch, or wait for a lock, holds up others.
 */
export const LOOKUPS = 'lookups';

const SHARE_OF_LOOKUPS = 0.25;

@Module({})
export class DatabaseModule {
  /** @param connections - at most, at least two */
  static forRoot(url: string, connections: number, schema: Schema): DynamicModule {
    const forLookups = Math.ceil(connections * SHARE_OF_LOOKUPS);
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
