import type { DataSource } from 'typeorm';
import { DatabaseError } from '../errors.js';
import { checksumOf, readChecksums, readMigrations } from './checksums.js';
import { describeSchema } from './describe-schema.js';
import { numberOf, type Migration, type Schema } from './schema.js';

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
