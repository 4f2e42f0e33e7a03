import type { Client } from 'pg';
import { MigrationClient } from '../connections.js';
import { DatabaseError } from '../errors.js';

const OLDEST_SERVER_VERSION = 150_000;

export async function requireSupportedDatabase(client: Client): Promise<void> {
  const { rows } = await client.query(`
    SELECT current_setting('server_version_num')::integer AS number,
      current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding
  `);
  if (rows[0].number < OLDEST_SERVER_VERSION) {
    throw new DatabaseError(
      `PostgreSQL ${rows[0].version} is too old: the service needs PostgreSQL 15 or newer.`,
    );
  }
  if (rows[0].encoding !== 'UTF8') {
    throw new DatabaseError(
      `The database has the encoding ${rows[0].encoding}, which cannot represent every address. Create it with ENCODING 'UTF8'.`,
    );
  }
}

const STATEMENT = { name: 'suppression-list-probe', text: 'SELECT 1' };
const CONNECT_TIMEOUT_MS = 5_000;
/** The message of PgBouncer, whose code is the same for all refusals. */
const REFUSED_OPTIONS = /startup parameter/;
/** Invalid SQL statement name, duplicate prepared statement. */
const LOST_STATEMENT = new Set(['26000', '42P05']);

/**
 * Makes sure that a pooler in front of PostgreSQL keeps prepared statements. Two sessions prepare one of the same name. If
 * the pooler moves sessions between connections and does not track their statements, the second session finds the
 * statement of the first, or the first one loses its statement while the second occupies the connection.
 *
 * @param setting - the name of the setting for the URL
 * @throws {DatabaseError} when it loses them, or refuses the options of a session
 */
export async function requireUsablePooler(url: string, setting = 'DATABASE_URL'): Promise<void> {
  const [first, second] = [connectionTo(url), connectionTo(url)];
  try {
    await first.connect();
    await second.connect();
    await first.query(STATEMENT);
    await second.query(STATEMENT);
    await second.query('BEGIN');
    await first.query(STATEMENT);
  } catch (error) {
    throw problemWithPooler(error as { code?: string; message: string }, setting) ?? error;
  } finally {
    await Promise.allSettled([first.end(), second.end()]);
  }
}

function connectionTo(connectionString: string): MigrationClient {
  return new MigrationClient({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
}

function problemWithPooler(
  { code = '', message }: { code?: string; message: string },
  setting: string,
): DatabaseError | undefined {
  if (LOST_STATEMENT.has(code)) {
    return new DatabaseError(
      `The pooler at ${setting} loses prepared statements. Use PgBouncer 1.21 or newer with ` +
        'max_prepared_statements above 0, or set pool_mode = session, or connect to PostgreSQL directly.',
    );
  }
  if (REFUSED_OPTIONS.test(message)) {
    return new DatabaseError(
      `The pooler at ${setting} refuses the startup parameter "options". In PgBouncer, set ` +
        'ignore_startup_parameters = options, and give the role the settings that docs/operations.md lists.',
    );
  }
  return undefined;
}
