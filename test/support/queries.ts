import { getDataSourceToken } from '@nestjs/typeorm';
import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { LOOKUPS } from '../../src/database/database.module.js';
import { poolOf } from '../../src/database/pool.js';
import type { World } from './world.js';

/** Calls `onQuery` with the arguments of each later query of the service, until it is stopped. */
export function observeQueries(
  { app }: World,
  onQuery: (args: unknown[], client: PoolClient) => void,
): { stop(): void } {
  const observed = new Map<PoolClient, PoolClient['query']>();
  const observe = (client: PoolClient) => {
    if (!observed.has(client)) {
      const { query } = client;
      observed.set(client, query);
      client.query = ((...args: unknown[]) => {
        onQuery(args, client);
        return Reflect.apply(query, client, args);
      }) as typeof query;
    }
  };
  const pools = [getDataSourceToken(), getDataSourceToken(LOOKUPS)].map((token) =>
    poolOf(app.get<DataSource>(token)),
  );
  pools.forEach((pool) => pool.on('acquire', observe));
  return {
    stop: () => {
      pools.forEach((pool) => pool.off('acquire', observe));
      observed.forEach((query, client) => (client.query = query));
    },
  };
}
