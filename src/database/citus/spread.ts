import type { Client } from 'pg';
import { COLUMNS, createCopies, toCopies, type Column } from './copies.js';
import { NEXT_REVISION } from './functions.js';
import { HOMES, LEADING_TABLE, TABLES, tablesOf } from './tables.js';
import type { Topology } from './topology.js';

/** Columns whose numbers put rows into the order in which they were written. */
const ORDERED = [
  ['suppression_changes', 'revision'],
  ['feed_pending', 'id'],
  ['pending_totals', 'id'],
] as const;

interface Definition {
  table: string;
  name: string;
  definition: string;
  refersTo: string | null;
}

const FOREIGN_KEYS = `
  SELECT conrelid::regclass::text AS "table", quote_ident(conname) AS name, confrelid::regclass::text AS "refersTo",
    pg_get_constraintdef(oid) AS definition
  FROM pg_constraint
  WHERE contype = 'f' AND connamespace = 'public'::regnamespace
  ORDER BY 1, 2`;

const TRIGGERS = `
  SELECT tgrelid::regclass::text AS "table", tgname AS name, pg_get_triggerdef(pg_trigger.oid) AS definition
  FROM pg_trigger
  JOIN pg_class ON pg_class.oid = tgrelid
  WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace
  ORDER BY 1, 2`;

/**
 * Citus adds a new table to its metadata, as a table of the coordinator, if the table has a foreign key to one of Citus's own
 * tables.
 */
const UNSPREAD = `
  SELECT required.name AS "table"
  FROM unnest($1::text[], $2::text[]) AS required (name, place)
  JOIN pg_tables ON tablename = required.name AND schemaname = 'public'
  LEFT JOIN pg_dist_partition ON logicalrelid = ('public.' || quote_ident(required.name))::regclass
  WHERE required.place <> CASE
    WHEN logicalrelid IS NULL THEN 'local'
    WHEN partmethod = 'h' THEN 'distributed'
    ELSE 'added by Citus'
  END`;

/** Each node has a sequence of its own, because it is the default of a distributed table. */
const CREATE_HOMES = [
  'CREATE SEQUENCE node_revision',
  NEXT_REVISION.trim(),
  `CREATE TABLE ${HOMES} (
    account_id integer PRIMARY KEY,
    group_id integer NOT NULL,
    epoch bigint NOT NULL,
    revision bigint DEFAULT nextval('node_revision')
  )`,
];

const isOnNodes = (table: string): boolean => table in TABLES && TABLES[table] !== 'local';

/** Finds the tables that are not placed as intended. */
export async function findUnspread(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(UNSPREAD, [
    Object.keys(TABLES),
    Object.values(TABLES).map((place) => (place === 'copied' ? 'local' : place)),
  ]);
  return rows.map(({ table }) => table);
}

/**
 * The statements that spread tables over the nodes. Foreign keys and triggers are removed meanwhile; keys between tables of the
 * coordinator and others are not possible.
 *
 * @param shards - into how many parts the accounts are divided
 */
export async function planSpread(
  client: Client,
  tables: readonly string[],
  shards: number,
): Promise<string[]> {
  const { rows: keys } = await client.query<Definition & { refersTo: string }>(FOREIGN_KEYS);
  const { rows: triggers } = await client.query<Definition>(TRIGGERS);
  const { rows: columns } = await client.query<Column>(COLUMNS);
  const touched = keys.filter(({ table, refersTo }) => tables.includes(table) || tables.includes(refersTo));
  const fired = triggers.filter(({ table }) => tables.includes(table));
  const isFirst = tables.includes(LEADING_TABLE);
  const distributed = tablesOf('distributed').filter((table) =>
    table === HOMES ? isFirst : tables.includes(table),
  );
  const others = distributed.filter((table) => table !== LEADING_TABLE);
  return [
    ...touched.map(({ table, name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`),
    ...fired.map(({ table, name }) => `DROP TRIGGER ${name} ON ${table}`),
    ...(isFirst ? CREATE_HOMES : []),
    ...ORDERED.filter(([table]) => tables.includes(table)).flatMap(([table, column]) => [
      `ALTER TABLE ${table} ALTER COLUMN ${column} SET DEFAULT next_revision()`,
      `DROP SEQUENCE IF EXISTS ${table}_${column}_seq`,
    ]),
    ...(isFirst
      ? [`SELECT create_distributed_table('${LEADING_TABLE}', 'account_id', shard_count => ${shards})`]
      : []),
    ...others.map(
      (table) =>
        `SELECT create_distributed_table('${table}', 'account_id', colocate_with => '${LEADING_TABLE}')`,
    ),
    ...distributed.map((table) => `SELECT truncate_local_data_after_distributing_table('${table}')`),
    ...(isFirst ? createCopies(columns) : []),
    ...touched
      .filter(({ table, refersTo }) => TABLES[table] === 'distributed' && isOnNodes(refersTo))
      .map(
        ({ table, name, definition }) =>
          `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${toCopies(definition)}`,
      ),
    ...fired.flatMap(onShards),
  ];
}

/** Citus creates no trigger on the shards whose events include TRUNCATE. */
function onShards({ name, definition }: Definition): string[] {
  const [, start, events, end] = /^(CREATE TRIGGER \w+ \w+ )(.+?)( ON .*)$/s.exec(definition)!;
  const others = events!.split(' OR ').filter((event) => event !== 'TRUNCATE');
  return others.length === events!.split(' OR ').length
    ? [definition]
    : [`${start}${others.join(' OR ')}${end}`, `${start!.replace(name, `${name}_truncate`)}TRUNCATE${end}`];
}

/** Adds a row to each bucket that records the node of the bucket. */
export function insertHomes(topology: Topology): string {
  const { buckets } = topology;
  const accounts = new Map<number, number>();
  for (let accountId = 1; accounts.size < buckets.length; accountId++) {
    const { index } = topology.bucketOf(accountId);
    accounts.set(index, accounts.get(index) ?? accountId);
  }
  const rows = buckets.map(({ index, node }) => `(${accounts.get(index)}, ${node.groupId}, 1)`);
  return `INSERT INTO ${HOMES} (account_id, group_id, epoch) VALUES ${rows.join(', ')} ON CONFLICT DO NOTHING`;
}
