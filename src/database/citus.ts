import { MigratingClient } from './data-source.js';
import { DatabaseError } from './migrate.js';

/**
 * Refuses Citus. The order of the changes of an address, and so the feed, rests on sequences that a statement reads after it
 * has locked the address. Citus reads them on the coordinator, before the lock (citusdata/citus#488).
 *
 * @throws {DatabaseError}
 */
export async function requireNoCitus(connectionString: string): Promise<void> {
  const client = new MigratingClient({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT FROM pg_extension WHERE extname = 'citus'`);
    if (rows.length > 0) {
      throw new DatabaseError(
        'The database at DATABASE_URL has the extension citus, on which changes of an address could get into the wrong order. ' +
          'Use a PostgreSQL without it.',
      );
    }
  } finally {
    await client.end();
  }
}
