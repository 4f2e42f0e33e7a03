import { MigrationClient } from '../connections.js';
import { DatabaseError } from '../errors.js';

/**
 * Refuses Citus, which does not run a quarter of our statements on distributed tables (docs/production.md). Each of its nodes
 * has its own range of every sequence, so changes of an address that come in through two nodes get into the wrong order.
 *
 * @throws {DatabaseError}
 */
export async function requireNoCitus(connectionString: string): Promise<void> {
  const client = new MigrationClient({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT FROM pg_extension WHERE extname = 'citus'`);
    if (rows.length > 0) {
      throw new DatabaseError(
        'The database at DATABASE_URL has the extension citus. On distributed tables statements of the service would fail, and ' +
          'changes of an address could get into the wrong order. Use a database without it.',
      );
    }
  } finally {
    await client.end();
  }
}
