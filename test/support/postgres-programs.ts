import { join } from 'node:path';
import { run } from './programs.js';

/** POSTGRES_BIN names the programs of the version of the server that the tests run on: pg_dump refuses a later one. */
const BIN = process.env.POSTGRES_BIN;

/** Whether the programs of the server are there, as in `.ci/test-on-postgres-15`; the embedded PostgreSQL comes without pg_dump. */
export const hasPostgresPrograms = BIN !== undefined;
if (!hasPostgresPrograms) {
  console.warn(
    'POSTGRES_BIN does not name the programs of the PostgreSQL at TEST_DATABASE_URL, so the tests of dumps are skipped. ' +
      '.ci/test-on-postgres-15 runs them.',
  );
}

/** A dump of a database as SQL, without the rows of some tables. */
export function dumpDatabase(url: string, except: readonly string[]): string {
  return run(join(BIN!, 'pg_dump'), [
    `--dbname=${url}`,
    '--inserts',
    ...except.map((table) => `--exclude-table-data=public.${table}`),
  ]);
}
