import type { Client } from 'pg';
import { DatabaseError } from '../errors.js';

/** Others may lock, name, or place shards differently. */
const TESTED = /^13\.2-/;

const FIND = `
  SELECT
    (SELECT groupid FROM pg_dist_local_group) = 0 AS "isCoordinator",
    EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) AS "isNamed",
    array_remove(
      ARRAY[
        CASE WHEN current_setting('wal_level') <> 'logical' THEN 'wal_level = logical' END,
        CASE WHEN current_setting('max_prepared_transactions') = '0' THEN 'max_prepared_transactions = 200' END,
        CASE WHEN current_setting('citus.shard_replication_factor') <> '1' THEN 'citus.shard_replication_factor = 1' END,
        CASE WHEN current_setting('citus.enable_unsafe_triggers') <> 'on' THEN 'citus.enable_unsafe_triggers = on' END
      ],
      NULL
    ) AS "missingSettings"`;

interface Found {
  isCoordinator: boolean;
  isNamed: boolean;
  missingSettings: string[];
}

/**
 * Whether a database has the extension.
 *
 * @param isPermitted - by the settings
 * @throws {DatabaseError} if it has, and may not or cannot be spread, or is a worker
 */
export async function hasCitus(client: Client, isPermitted = true): Promise<boolean> {
  const { rowCount } = await client.query(`SELECT FROM pg_extension WHERE extname = 'citus'`);
  if (rowCount === 0) {
    return false;
  }
  if (!isPermitted) {
    throw new DatabaseError(
      'The database at DATABASE_URL has the extension citus. The service uses it only as an experiment, which is off. ' +
        'Use a database without the extension, or read docs/scale-out.md and set CITUS_EXPERIMENTAL=true.',
    );
  }
  const { isCoordinator, isNamed } = await requireSettings(client);
  if (!isCoordinator) {
    throw new DatabaseError(
      'The database at DATABASE_URL is a worker of Citus. Set DATABASE_URL to the coordinator.',
    );
  }
  if (!isNamed) {
    throw new DatabaseError(
      'The coordinator of Citus is not one of its nodes. Run on it: SELECT citus_set_coordinator_host(…)',
    );
  }
  return true;
}

/** @throws {DatabaseError} if a node lacks settings, or has another version of Citus */
export async function requireSettings(client: Client): Promise<Found> {
  await requireTestedVersion(client);
  const { rows } = await client.query<Found>(FIND);
  const found = rows[0]!;
  if (found.missingSettings.length > 0) {
    throw new DatabaseError(
      `The node ${client.host}:${client.port} of Citus lacks settings: ${found.missingSettings.join(', ')}. ` +
        'Add them to its postgresql.conf, and restart it.',
    );
  }
  return found;
}

async function requireTestedVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    `SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`,
  );
  const version = rows[0]?.version ?? 'none';
  if (!TESTED.test(version)) {
    throw new DatabaseError(
      `The database on ${client.host}:${client.port} has version ${version} of the extension citus. The service is tested with ` +
        '13.2 only. See docs/scale-out.md.',
    );
  }
}
