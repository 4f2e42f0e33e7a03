import { startTemporaryPostgres } from '../../dist/src/testing.js';

/** One PostgreSQL for the whole run: the server at TEST_DATABASE_URL, or an embedded one. */
export default async function setUp() {
  if (!process.env.TEST_DATABASE_URL) {
    globalThis.temporaryPostgres = await startTemporaryPostgres();
    process.env.TEST_DATABASE_URL = globalThis.temporaryPostgres.url;
  }
}
