import { COPIES, LEADING_TABLE } from './tables.js';

export interface Column {
  table: string;
  name: string;
  /** With its collation, if that is not the one of the type. */
  type: string;
}

type Copied = (typeof COPIES)[number];

/** SQL for the columns of the copied tables and of their copies. */
export const COLUMNS = `
  SELECT relname AS "table", quote_ident(attname) AS name,
    concat_ws(' COLLATE ', format_type(atttypid, atttypmod), nullif(attcollation, typcollation)::regcollation) AS type
  FROM pg_attribute
  JOIN pg_class ON pg_class.oid = attrelid
  JOIN pg_type ON pg_type.oid = atttypid
  WHERE relnamespace = 'public'::regnamespace
    AND relname = ANY ('{${COPIES.flatMap(({ table, copies }) => [table, copies]).join()}}')
    AND attnum > 0
    AND NOT attisdropped
  ORDER BY attnum`;

/** A write to this table makes Citus commit the transaction in two phases. */
const CREATE_TWO_PHASE = [
  'CREATE TABLE two_phase (id integer)',
  `SELECT citus_add_local_table_to_metadata('two_phase')`,
];

/**
 * The statements that create the copies. Afterwards, a trigger updates each copy in the transaction that changes its row. The
 * copies have no constraints but their keys, so a migration that changes one of the table concerns the table only.
 */
export function createCopies(columns: readonly Column[]): string[] {
  return [
    ...CREATE_TWO_PHASE,
    'CREATE SCHEMA copying',
    ...COPIES.flatMap((copied) => {
      const { table, copies, key } = copied;
      const types = typesIn(columns, table);
      const names = [...types.keys()];
      return [
        `CREATE TABLE ${copies} (${[...types].map((column) => column.join(' ')).join(', ')}, PRIMARY KEY (${key.join(', ')}))`,
        `SELECT create_distributed_table('${copies}', '${key[0]}', colocate_with => '${LEADING_TABLE}')`,
        fill(copied, names),
        defineCopying(copied, names),
        `CREATE TRIGGER ${copies} AFTER INSERT OR UPDATE OR DELETE ON ${table}
        FOR EACH ROW EXECUTE FUNCTION copying.write_${copies}()`,
      ];
    }),
  ];
}

/** The statements that give the copies the columns of their tables, after a migration. */
export function alignCopies(columns: readonly Column[]): string[] {
  return COPIES.flatMap((copied) => {
    const { table, copies } = copied;
    const [types, existing] = [typesIn(columns, table), typesIn(columns, copies)];
    const names = [...types.keys()];
    const changes = [
      ...[...existing.keys()]
        .filter((name) => existing.get(name) !== types.get(name))
        .map((name) => `ALTER TABLE ${copies} DROP COLUMN ${name}`),
      ...names
        .filter((name) => existing.get(name) !== types.get(name))
        .map((name) => `ALTER TABLE ${copies} ADD COLUMN ${name} ${types.get(name)}`),
    ];
    return changes.length > 0 ? [...changes, defineCopying(copied, names), fill(copied, names)] : [];
  });
}

/** The definition of a foreign key to the copies. */
export function toCopies(definition: string): string {
  return definition.replace(
    /\bREFERENCES (\w+)\(/,
    (_reference, referred) =>
      `REFERENCES ${COPIES.find(({ table }) => table === referred)?.copies ?? referred}(`,
  );
}

/** The types of the columns of a table, by their names. */
const typesIn = (columns: readonly Column[], table: string): Map<string, string> =>
  new Map(columns.filter((column) => column.table === table).map(({ name, type }) => [name, type]));

const fill = ({ table, copies, key }: Copied, names: string[]): string =>
  `INSERT INTO ${copies} (${names.join(', ')}) SELECT ${names.join(', ')} FROM ${table} ${orUpdate(key, names)}`;

/** The timeout breaks a deadlock with a move that waits for this transaction on the node. */
const defineCopying = ({ copies, key }: Copied, names: string[]): string => `
CREATE OR REPLACE FUNCTION copying.write_${copies}() RETURNS trigger
LANGUAGE plpgsql
SET lock_timeout = '1s'
AS $copy$
  BEGIN
    DELETE FROM two_phase;
    IF TG_OP = 'DELETE' THEN
      DELETE FROM ${copies} WHERE ${key.map((name) => `${name} = OLD.${name}`).join(' AND ')};
    ELSE
      INSERT INTO ${copies} (${names.join(', ')})
      VALUES (${names.map((name) => `NEW.${name}`).join(', ')})
      ${orUpdate(key, names)};
    END IF;
    RETURN NULL;
  END
$copy$`;

const orUpdate = (key: readonly string[], names: string[]): string =>
  `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${names
    .filter((name) => !key.includes(name))
    .map((name) => `${name} = EXCLUDED.${name}`)
    .join(', ')}`;
