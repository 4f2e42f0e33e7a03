import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../../dist/src/database/embedded-postgres.js';

/** One PostgreSQL for the whole run: the server at TEST_DATABASE_URL, or an embedded one. */
export default async function setUp() {
  if (!process.env.TEST_DATABASE_URL) {
    const dataDir = await mkdtemp(join(tmpdir(), 'suppression-list-test-'));
    const postgres = await EmbeddedPostgres.open(dataDir, {
      role: 'visitor',
      settings: { fsync: 'off', max_connections: '300' },
    });
    process.env.TEST_DATABASE_URL = postgres.url;
    globalThis.embeddedForTests = { postgres, dataDir };
  }
}
