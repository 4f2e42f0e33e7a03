import { randomUUID } from 'node:crypto';
import { MigrationClient } from './connections.js';
import type { TemporaryPostgres } from './embedded/temporary-postgres.js';

/** Creates a database on a running server. It is dropped when it is stopped. */
export async function createTemporaryDatabase(serverUrl: string): Promise<TemporaryPostgres> {
  const name = `suppression_list_${randomUUID().replaceAll('-', '')}`;
  await runOn(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, stop: () => runOn(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function runOn(connectionString: string, sql: string): Promise<void> {
  const client = new MigrationClient({ connectionString });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
