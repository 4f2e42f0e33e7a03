import { MigrationClient } from '../connections.js';
import { urlsOfHosts } from '../../config/database-url.js';
import { DatabaseError } from '../errors.js';
import { definitionsFor, isPlain } from './functions.js';
import { hasCitus, requireSettings } from './requirements.js';
import { findUnspread, insertHomes, planSpread } from './spread.js';
import { Topology, type Node } from './topology.js';

const SETTINGS = `SET citus.enable_unsafe_triggers = on; SET citus.enable_local_reference_table_foreign_keys = off;
  SET citus.multi_shard_modify_mode = 'sequential'; SET client_min_messages = warning`;

const NODES = `
  SELECT groupid AS "groupId", nodename AS host, nodeport AS port
  FROM pg_dist_node
  WHERE noderole = 'primary' AND isactive
  ORDER BY groupid`;

const FUNCTIONS = `
  SELECT pg_get_functiondef(pg_proc.oid) AS definition
  FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
  ORDER BY proname, pg_proc.oid`;

const spreadDatabases = new Map<string, Topology>();

/** Where the accounts are, in a database that {@link requireSpread} has found to be spread. */
export function topologyOf(url: string): Topology | undefined {
  return spreadDatabases.get(url);
}

/** The URL of a node: that of the coordinator, with another host. */
export function urlOfNode(url: string, { groupId, host, port }: Node): string {
  if (groupId === 0) {
    return url;
  }
  const node = new URL(urlsOfHosts(url)[0]!);
  node.hostname = host;
  node.port = String(port);
  node.searchParams.delete('host');
  return node.href;
}

/**
 * Whether a database has the extension citus.
 *
 * @param isPermitted - by the settings
 * @throws {DatabaseError} if it has, and may not or cannot be spread
 */
export async function usesCitus(url: string, isPermitted: boolean): Promise<boolean> {
  const client = await connect(url);
  try {
    return await hasCitus(client, isPermitted);
  } finally {
    await client.end();
  }
}

/**
 * Requires a database with Citus to be spread by `suppressions database spread`.
 *
 * @param url - as in the settings
 * @param writableUrl - of the coordinator
 * @param replicaUrl - is not possible with it
 * @throws {DatabaseError}
 */
export async function requireSpread(url: string, writableUrl: string, replicaUrl?: string): Promise<void> {
  const client = await connect(writableUrl);
  try {
    if (!(await hasCitus(client))) {
      return;
    }
    const unspread = await findUnspread(client);
    const functions = await readFunctions(client);
    if (unspread.length > 0 || !functions.some(isEnter) || functions.some(isPlain)) {
      throw new DatabaseError(
        'The database at DATABASE_URL has the extension citus and is not spread over its nodes, or was migrated since. ' +
          'Stop all instances, and run: suppressions database spread',
      );
    }
    if (replicaUrl !== undefined) {
      throw new DatabaseError(
        'A database that is spread over several nodes has no read replica. Remove DATABASE_REPLICA_URL.',
      );
    }
    spreadDatabases.set(url, await Topology.read(() => connect(writableUrl)));
  } finally {
    await client.end();
  }
}

/**
 * Spreads a database over the nodes of Citus, and creates on each what the service needs there. It may run again.
 *
 * @returns the statements that changed something
 * @throws {DatabaseError}
 */
export async function spreadDatabase(url: string, shards: number): Promise<string[]> {
  const client = await connect(url);
  try {
    await requireCitus(client);
    const { rows: nodes } = await client.query<Node>(NODES);
    for (const node of nodes) {
      await requireSettingsOf(urlOfNode(url, node));
    }
    await client.query(SETTINGS);
    const planned = await planOf(client, shards);
    await client.query('BEGIN');
    for (const sql of planned) {
      await client.query(sql);
    }
    await client.query('COMMIT');
    const topology = await Topology.read(() => connect(url));
    await client.query(insertHomes({ buckets: topology.buckets, bucketOf: (id) => topology.bucketOf(id) }));
    const definitions = definitionsFor(await readFunctions(client), topology.buckets);
    for (const node of nodes) {
      await define(urlOfNode(url, node), definitions);
    }
    return planned;
  } finally {
    await client.end();
  }
}

/** The statements that {@link spreadDatabase} would run on the coordinator, besides those for its functions. */
export async function planSpreadOf(url: string, shards: number): Promise<string[]> {
  const client = await connect(url);
  try {
    await requireCitus(client);
    return await planOf(client, shards);
  } finally {
    await client.end();
  }
}

async function planOf(client: MigrationClient, shards: number): Promise<string[]> {
  const unspread = await findUnspread(client);
  return unspread.length > 0 ? planSpread(client, unspread, shards) : [];
}

async function define(url: string, definitions: readonly string[]): Promise<void> {
  const client = await connect(url);
  try {
    await client.query('SET citus.enable_ddl_propagation = off; SET check_function_bodies = off; BEGIN');
    for (const definition of definitions) {
      await client.query(definition);
    }
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

async function requireSettingsOf(url: string): Promise<void> {
  const client = await connect(url);
  try {
    await requireSettings(client);
  } finally {
    await client.end();
  }
}

async function requireCitus(client: MigrationClient): Promise<void> {
  if (!(await hasCitus(client))) {
    throw new DatabaseError('The database does not have the extension citus. See docs/scale-out.md.');
  }
}

async function readFunctions(client: MigrationClient): Promise<string[]> {
  const { rows } = await client.query<{ definition: string }>(FUNCTIONS);
  return rows.map(({ definition }) => definition);
}

const isEnter = (definition: string): boolean => definition.includes('FUNCTION public.enter_bucket(');

async function connect(connectionString: string): Promise<MigrationClient> {
  const client = new MigrationClient({ connectionString });
  await client.connect();
  return client;
}
