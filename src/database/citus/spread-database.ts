import type { QueryRunner } from 'typeorm';
import { withMigrationClient, type MigrationClient } from '../connections.js';
import { DatabaseError } from '../errors.js';
import { alignCopies, COLUMNS, type Column } from './copies.js';
import { definitionsFor, FUNCTIONS, inEachBucket, isMadeFor, isPlain } from './functions.js';
import { hasCitus, requireSettings } from './requirements.js';
import { findUnspread, insertHomes, planSpread } from './spread.js';
import { PLANNED_FOR_LARGEST_ACCOUNT } from './tables.js';
import { Topology } from './topology.js';

const SETTINGS = `SET citus.enable_unsafe_triggers = on; SET citus.enable_local_reference_table_foreign_keys = off;
  SET client_min_messages = warning`;

/** Citus neither changes this option of a distributed table nor keeps it when it moves a shard. */
const SET_OPTIONS_OF_SHARDS = `
  SELECT name, shardid AS "shardId", result
  FROM unnest($1::text[]) AS name
  CROSS JOIN LATERAL run_command_on_shards(
    name::regclass,
    'ALTER TABLE %s ALTER COLUMN account_id SET (n_distinct = 1)'
  )
  WHERE NOT success`;

const spreadDatabases = new Map<string, Topology>();

/** The placement of accounts in a database that has passed {@link requireSpread}. */
export function topologyOf(url: string): Topology | undefined {
  return spreadDatabases.get(url);
}

/**
 * Whether a database has the extension citus.
 *
 * @param isPermitted - whether the settings permit the extension
 * @throws {DatabaseError} if it has, and may not or cannot be spread
 */
export function usesCitus(url: string, isPermitted: boolean): Promise<boolean> {
  return withMigrationClient({ connectionString: url }, (client) => hasCitus(client, isPermitted));
}

/**
 * Requires a database with Citus to be spread by `suppressions database spread`.
 *
 * @param url - as in the settings
 * @param writableUrl - of the coordinator
 * @param replicaUrl - is not possible with it
 * @throws {DatabaseError}
 */
export function requireSpread(url: string, writableUrl: string, replicaUrl?: string): Promise<void> {
  return withMigrationClient({ connectionString: writableUrl }, async (client) => {
    if (!(await hasCitus(client))) {
      return;
    }
    const unspread = await findUnspread(client);
    const functions = await readFunctions(client);
    const enter = functions.find(isEnter);
    if (unspread.length > 0 || !enter || functions.some(isPlain)) {
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
    const topology = await Topology.read(url);
    if (!isMadeFor(enter, topology.buckets)) {
      throw new DatabaseError(
        'Citus has split or replaced shards of the database at DATABASE_URL since it was spread, which is not supported. ' +
          'Restore a backup from before that. See docs/scale-out.md.',
      );
    }
    spreadDatabases.set(url, topology);
  });
}

/**
 * Spreads a database over the nodes of Citus, and creates on each what the service needs there. It may run again.
 *
 * @returns the statements that changed something, except those that create functions
 * @throws {DatabaseError}
 */
export function spreadDatabase(url: string, shards: number): Promise<string[]> {
  return withMigrationClient({ connectionString: url }, async (client) => {
    const planned = await planOf(client, shards);
    await requireSettings(client);
    await client.query(SETTINGS);
    await runInTransaction(client, planned);
    const topology = await Topology.read(url);
    await client.query(insertHomes(topology));
    await runInTransaction(client, definitionsFor(await readFunctions(client), topology.buckets));
    await setOptionsOfShards(client);
    return planned;
  });
}

/** The statements that {@link spreadDatabase} would return. */
export function planSpreadOf(url: string, shards: number): Promise<string[]> {
  return withMigrationClient({ connectionString: url }, (client) => planOf(client, shards));
}

async function planOf(client: MigrationClient, shards: number): Promise<string[]> {
  if (!(await hasCitus(client))) {
    throw new DatabaseError('The database does not have the extension citus. See docs/scale-out.md.');
  }
  const unspread = await findUnspread(client);
  return unspread.length > 0 ? planSpread(client, unspread, shards) : [];
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
    const { buckets } = await Topology.read(url);
    for (const definition of definitions.filter(isPlain)) {
      await queryRunner.query(inEachBucket(definition, buckets));
    }
  }
}

async function setOptionsOfShards(client: MigrationClient): Promise<void> {
  const { rows } = await client.query<{ name: string; shardId: string; result: string }>(
    SET_OPTIONS_OF_SHARDS,
    [PLANNED_FOR_LARGEST_ACCOUNT],
  );
  if (rows.length > 0) {
    const { name, shardId, result } = rows[0]!;
    throw new DatabaseError(
      `The options of shards could not be set (${rows.length} failed), for example of ${name}_${shardId}: ${result}. ` +
        'Repair the node, and run the command again.',
    );
  }
}

async function runInTransaction(client: MigrationClient, statements: readonly string[]): Promise<void> {
  await client.query('BEGIN');
  for (const statement of statements) {
    await client.query(statement);
  }
  await client.query('COMMIT');
}

async function readFunctions(client: MigrationClient): Promise<string[]> {
  const { rows } = await client.query<{ definition: string }>(FUNCTIONS);
  return rows.map(({ definition }) => definition);
}

const isEnter = (definition: string): boolean => definition.includes('FUNCTION public.enter_bucket(');
