import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { migrate } from '../../dist/src/database/startup/migrate.js';
import { startTemporaryPostgres } from '../../dist/src/database/embedded/temporary-postgres.js';
import { SCHEMA } from '../../dist/src/schema.js';
import { bundlePrograms } from './bundle.js';
import { databaseFolder } from './database-folder.js';

/**
 * One PostgreSQL for the whole run: the server at TEST_DATABASE_URL, or an embedded one. On it a migrated database, which
 * each world is a copy of.
 */
export default async function setUp() {
  await bundlePrograms();
  process.env.TEST_DATABASE_FOLDER = databaseFolder();
  if (!process.env.TEST_DATABASE_URL) {
    globalThis.temporaryPostgres = await startTemporaryPostgres(process.env.TEST_DATABASE_FOLDER);
    process.env.TEST_DATABASE_URL = globalThis.temporaryPostgres.url;
  }
  const name = `test_template_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(process.env.TEST_DATABASE_URL);
  await onServer(`CREATE DATABASE ${name} TEMPLATE template0`);
  url.pathname = `/${name}`;
  await migrate(url.href, SCHEMA);
  process.env.TEST_DATABASE_TEMPLATE = name;
  globalThis.dropTemplate = () => onServer(`DROP DATABASE ${name}`);
}

async function onServer(sql) {
  const client = new Client({ connectionString: process.env.TEST_DATABASE_URL });
  await client.connect();
  await client.query(sql);
  await client.end();
}
