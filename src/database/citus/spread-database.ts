import type { ClientConfig } from 'pg';
import type { QueryRunner } from 'typeorm';
import { MigrationClient } from '../connections.js';
import { urlsOfHosts } from '../../config/database-url.js';
import { DatabaseError } from '../errors.js';
import { Servers } from '../servers.js';
import { alignCopies, COLUMNS, type Column } from './copies.js';
import { definitionsFor, FUNCTIONS, inEachBucket, isMadeFor, isPlain } from './functions.js';
import { hasCitus, requireSettings } from './requirements.js';
import { findUnspread, insertHomes, planSpread } from './spread.js';
import { Topology, type Node } from './topology.js';

const SETTINGS = `SET citus.enable_unsafe_triggers = on; SET citus.enable_local_reference_table_foreign_keys = off;
  SET client_min_messages = warning`;

const NODES = `
  SELECT groupid AS "groupId", nodename AS host, nodeport AS port
  FROM pg_dist_node
  WHERE noderole = 'primary' AND isactive
  ORDER BY groupid`;

/** Of connections while the service runs. */
const TIME_LIMITS = { connectionTimeoutMillis: 3_000, query_timeout: 3_000 };

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
  const [first] = urlsOfHosts(url);
  if (!URL.canParse(first!) || host.includes(':')) {
    throw new DatabaseError(
      'With Citus, DATABASE_URL must name a host, and its nodes must have host names or IPv4 addresses. See docs/scale-out.md.',
    );
  }
  const node = new URL(first!);
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
    const servers = new Servers(url);
    const topology = await Topology.read(async () => connect(await servers.findWritable(), TIME_LIMITS));
    if (!isMadeFor(functions.find(isEnter)!, topology.buckets)) {
      throw new DatabaseError(
        'Citus has split or replaced shards of the database at DATABASE_URL since it was spread, which is not supported. ' +
          'Restore a backup from before that. See docs/scale-out.md.',
      );
    }
    const { rows: nodes } = await client.query<Node>(NODES);
    for (const node of nodes.filter(({ groupId }) => groupId !== 0)) {
      await requireFunctions(node, urlOfNode(url, node), functions);
    }
    spreadDatabases.set(url, topology);
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
    // The coordinator comes last, since the service looks for the functions there first.
    const definitions = definitionsFor(await readFunctions(client), topology.buckets);
    for (const node of nodes.toReversed()) {
      await define(urlOfNode(url, node), definitions);
    }
    return planned;
  } finally {
    await client.end();
  }
}

/**
 * Makes functions that a migration has replaced work in each bucket, before its transaction ends and statements call them, and
 * adds new columns of copied tables to the copies. Citus does it on all nodes.
 *
 * @param url - of the coordinator, or of a database without Citus
 */
export async function followMigration(url: string, queryRunner: QueryRunner): Promise<void> {
  const rows: { definition: string }[] = await queryRunner.query(FUNCTIONS);
  const definitions = rows.map(({ definition }) => definition);
  if (!definitions.some(isEnter)) {
    return;
  }
  const columns: Column[] = await queryRunner.query(COLUMNS);
  for (const statement of alignCopies(columns)) {
    await queryRunner.query(statement);
  }
  if (definitions.some(isPlain)) {
    const { buckets } = await Topology.read(() => connect(url));
    for (const definition of definitions.filter(isPlain)) {
      await queryRunner.query(inEachBucket(definition, buckets));
    }
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

/** A node that is down is not asked. */
async function requireFunctions(
  { host, port }: Node,
  url: string,
  functions: readonly string[],
): Promise<void> {
  const client = await connect(url, TIME_LIMITS).catch(() => undefined);
  if (!client) {
    return;
  }
  try {
    const found = new Set(await readFunctions(client));
    if (!functions.every((definition) => found.has(definition))) {
      throw new DatabaseError(
        `The node ${host}:${port} of Citus lacks functions of the service. Run: suppressions database spread`,
      );
    }
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

async function connect(connectionString: string, limits: ClientConfig = {}): Promise<MigrationClient> {
  const client = new MigrationClient({ connectionString, ...limits });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
