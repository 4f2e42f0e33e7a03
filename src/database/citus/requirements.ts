import type { Client } from 'pg';
import { DatabaseError } from '../errors.js';

/**
 * Finds the requirements that a node with the extension does not meet. Other versions may lock, name, or place shards
 * differently.
 */
const LACKING = `
  SELECT concat_ws(
    ', ',
    CASE WHEN extversion NOT LIKE '13.2-%' THEN 'version 13.2 of citus, the tested one (it has ' || extversion || ')' END,
    CASE WHEN current_setting('wal_level') <> 'logical' THEN 'wal_level = logical' END,
    CASE WHEN current_setting('max_prepared_transactions') = '0' THEN 'max_prepared_transactions = 200' END,
    CASE WHEN current_setting('citus.shard_replication_factor', true) IS DISTINCT FROM '1' THEN 'citus.shard_replication_factor = 1' END,
    CASE WHEN current_setting('citus.enable_unsafe_triggers', true) IS DISTINCT FROM 'on' THEN 'citus.enable_unsafe_triggers = on' END
  ) AS lacking
  FROM pg_extension
  WHERE extname = 'citus'`;

const COORDINATOR = `
  SELECT
    (SELECT groupid FROM pg_dist_local_group) = 0 AS "isCoordinator",
    EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) AS "isNamed"`;

const ON_ALL_NODES = `
  SELECT nodename AS host, nodeport AS port, CASE WHEN success THEN result ELSE 'an answer: ' || result END AS lacking
  FROM run_command_on_all_nodes($1)
  JOIN pg_dist_node USING (nodeid)`;

interface Found {
  host: string;
  port: number;
  lacking: string;
}

/**
 * Whether a database has the extension.
 *
 * @param isPermitted - whether the settings permit the extension
 * @throws {DatabaseError} if it has, and may not or cannot be spread, or is a worker
 */
export async function hasCitus(client: Client, isPermitted = true): Promise<boolean> {
  const { host, port } = client;
  const [found] = (await client.query<{ lacking: string }>(LACKING)).rows;
  if (!found) {
    return false;
  }
  if (!isPermitted) {
    throw new DatabaseError(
      'The database at DATABASE_URL has the extension citus. The service uses it only as an experiment, which is off. ' +
        'Use a database without the extension, or read docs/scale-out.md and set CITUS_EXPERIMENTAL=true.',
    );
  }
  refuseLacking({ host, port, ...found });
  const { rows } = await client.query<{ isCoordinator: boolean; isNamed: boolean }>(COORDINATOR);
  if (!rows[0]!.isCoordinator) {
    throw new DatabaseError(
      'The database at DATABASE_URL is a worker of Citus. Set DATABASE_URL to the coordinator.',
    );
  }
  if (!rows[0]!.isNamed) {
    throw new DatabaseError(
      'The coordinator of Citus is not one of its nodes. Run on it: SELECT citus_set_coordinator_host(…)',
    );
  }
  return true;
}

/** @throws {DatabaseError} if a node does not meet a requirement */
export async function requireSettings(client: Client): Promise<void> {
  const { rows } = await client.query<Found>(ON_ALL_NODES, [LACKING]);
  rows.forEach(refuseLacking);
}

function refuseLacking({ host, port, lacking }: Found): void {
  if (lacking !== '') {
    throw new DatabaseError(`The node ${host}:${port} of Citus lacks ${lacking}. See docs/scale-out.md.`);
  }
}
