import type { Client } from 'pg';
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
