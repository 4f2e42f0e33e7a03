import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { migrate } from '../../dist/src/database/startup/migrate.js';
import { startTemporaryPostgres } from '../../dist/src/database/embedded/temporary-postgres.js';
import { spreadDatabase } from '../../dist/src/database/citus/spread-database.js';
import { SCHEMA } from '../../dist/src/schema.js';
import { bundleAll } from './bundle.js';
import { databaseFolder } from './database-folder.js';

/**
 * One PostgreSQL for the whole run: the server at TEST_DATABASE_URL, or an embedded one. On it a migrated database, which
 * each world is a copy of.
 */
export default async function setUp() {
  await bundleAll();
  process.env.TEST_DATABASE_FOLDER = databaseFolder();
  if (!process.env.TEST_DATABASE_URL) {
    globalThis.temporaryPostgres = await startTemporaryPostgres(process.env.TEST_DATABASE_FOLDER);
    process.env.TEST_DATABASE_URL = globalThis.temporaryPostgres.url;
  }
  const name = `test_template_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(process.env.TEST_DATABASE_URL);
  await onServer(`CREATE DATABASE ${name} TEMPLATE template0`);
  url.pathname = `/${name}`;
  if (process.env.TEST_CITUS === 'true') {
    await onServer('CREATE EXTENSION citus', url);
    await onServer(`SELECT citus_set_coordinator_host('${url.hostname}', ${url.port})`, url);
    await onServer(
      `SELECT citus_set_node_property('${url.hostname}', ${url.port}, 'shouldhaveshards', true)`,
      url,
    );
    await migrate(url.href, SCHEMA);
    await spreadDatabase(url.href, 2);
    await onServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  } else {
    await migrate(url.href, SCHEMA);
  }
  process.env.TEST_DATABASE_TEMPLATE = name;
  globalThis.dropTemplate = () => onServer(`DROP DATABASE ${name}`);
}

async function onServer(sql, url = process.env.TEST_DATABASE_URL) {
  const client = new Client({ connectionString: String(url) });
  await client.connect();
  await client.query(sql);
  await client.end();
}
