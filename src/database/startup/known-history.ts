import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { DatabaseError } from '../errors.js';
import { checksumOf, readChecksums } from './checksums.js';
import { numberOf, readMigrations, type Migration, type Schema } from './schema.js';

/**
 * Makes sure that the migrations in the database are those of this version, or later ones.
 *
 * @returns the released migrations that ran before checksums were recorded
 * @throws {DatabaseError} when it has run others, or was created before the schema was released
 */
export async function requireKnownHistory(dataSource: DataSource, schema: Schema): Promise<Migration[]> {
  const ran = await readMigrations(dataSource);
  const recorded = await readChecksums(dataSource);
  if (recorded) {
    await requireSameMigrations(ran, recorded, schema.migrations);
    return [];
  }
  if (ran.length === 0) {
    return [];
  }
  const difference = await differenceFromReleased(dataSource, ran, schema);
  // Another instance may have upgraded the database in the meantime.
  if (await readChecksums(dataSource)) {
    return requireKnownHistory(dataSource, schema);
  }
  if (difference) {
    throw new DatabaseError(
      `The database was created by a version before the first release (${difference}), so it cannot be upgraded. If you added ` +
        'columns, constraints, or triggers to it, remove them and upgrade again. Otherwise, export its lists with the version ' +
        'that created it, and import them into a new database, as docs/upgrading.md describes.',
    );
  }
  return schema.migrations.filter(({ name }) => ran.includes(name));
}

async function requireSameMigrations(
  ran: string[],
  recorded: Map<string, string>,
  migrations: Migration[],
): Promise<void> {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const latest = Math.max(...migrations.map(({ name }) => numberOf(name)));
  for (const name of ran) {
    const migration = known.get(name);
    if (!migration && numberOf(name) <= latest) {
      throw wrongMigration(name, 'which this version lacks although it has later ones');
    }
    if (migration && recorded.get(name) !== (await checksumOf(migration))) {
      throw wrongMigration(name, 'with other statements than this version has');
    }
  }
}

function wrongMigration(name: string, problem: string): DatabaseError {
  return new DatabaseError(
    `The database has run the migration ${name} ${problem}, so its tables may differ. Start the version that ran it, or ` +
      'restore a backup from before that, as docs/upgrading.md describes.',
  );
}

async function differenceFromReleased(
  dataSource: DataSource,
  ran: string[],
  { migrations, released }: Schema,
): Promise<string | undefined> {
  const names = migrations.map(({ name }) => name).filter((name) => numberOf(name) <= released.last);
  if (ran.length !== names.length || names.some((name) => !ran.includes(name))) {
    return 'it ran other migrations';
  }
  const objects = await describeSchema(dataSource);
  const differing = Object.keys(released.objects).filter((name) => objects[name] !== released.objects[name]);
  const tablesFirst = differing.sort(
    (one, other) => Number(other.startsWith('table')) - Number(one.startsWith('table')),
  );
  return differing.length > 0 ? `it differs in the ${tablesFirst.slice(0, 3).join(', ')}` : undefined;
}

/** Leaves out NOT NULL constraints, which only PostgreSQL 18 lists; the columns show them. */
const DESCRIBE = `
  WITH schema AS (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
  SELECT 'table ' || relname AS object,
    concat_ws(' ', 'column', attname, format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'NOT NULL' END,
      nullif(attidentity, ''), nullif(attgenerated, ''), pg_get_expr(adbin, adrelid, true)) AS line
  FROM schema
  JOIN pg_class ON relnamespace = schema.oid
  JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
  LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE relkind IN ('r', 'p')
  UNION ALL
  SELECT 'table ' || relname, concat_ws(' ', 'constraint', conname, pg_get_constraintdef(pg_constraint.oid, true))
  FROM schema
  JOIN pg_class ON relnamespace = schema.oid
  JOIN pg_constraint ON conrelid = pg_class.oid
  WHERE contype <> 'n'
  UNION ALL
  SELECT 'table ' || relname, pg_get_triggerdef(pg_trigger.oid, true)
  FROM schema
  JOIN pg_class ON relnamespace = schema.oid
  JOIN pg_trigger ON tgrelid = pg_class.oid
  WHERE NOT tgisinternal
  UNION ALL
  SELECT 'index ' || relname, concat_ws(' ', pg_get_indexdef(indexrelid, 0, true), indisvalid)
  FROM schema
  JOIN pg_class ON relnamespace = schema.oid
  JOIN pg_index ON indexrelid = pg_class.oid
  WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
  UNION ALL
  SELECT 'function ' || proname || '(' || pg_get_function_identity_arguments(pg_proc.oid) || ')',
    concat_ws(' ', pg_get_function_result(pg_proc.oid), provolatile, proisstrict, proparallel, coalesce(pg_get_function_sqlbody(pg_proc.oid), prosrc))
  FROM schema
  JOIN pg_proc ON pronamespace = schema.oid
  UNION ALL
  SELECT 'type ' || typname, concat_ws(' ', rank() OVER (PARTITION BY typname ORDER BY enumsortorder), enumlabel)
  FROM schema
  JOIN pg_type ON typnamespace = schema.oid
  JOIN pg_enum ON enumtypid = pg_type.oid
`;

/** @returns short hashes of the definitions, by the names of the objects; equal on all versions of PostgreSQL */
export async function describeSchema(dataSource: DataSource): Promise<Record<string, string>> {
  const lines = new Map<string, string[]>();
  for (const { object, line } of await dataSource.query<{ object: string; line: string }[]>(DESCRIBE)) {
    lines.set(object, [...(lines.get(object) ?? []), line]);
  }
  return Object.fromEntries([...lines].map(([object, definition]) => [object, hash(definition)]));
}

function hash(definition: string[]): string {
  const sorted = JSON.stringify(definition.sort());
  return createHash('sha256').update(sorted).digest('hex').slice(0, 16);
}
