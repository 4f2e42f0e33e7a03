import { QueryFailedError, type DataSource } from 'typeorm';

/** Undefined table, undefined column. */
const NOT_MIGRATED = new Set(['42P01', '42703']);
/** Names of migrations that remove what the previous version needs. All others only add. */
const CONTRACTING = /^Contract/;

/** How the database differs from the schema of this version. */
export interface SchemaDifference {
  /** Migrations of this version that the database lacks. */
  pending: string[];
  /** Migrations of a newer version that removed what this version may need. */
  contracting: string[];
}

export async function compareSchema(dataSource: DataSource): Promise<SchemaDifference> {
  const known = dataSource.migrations.map((migration) => migration.constructor.name);
  try {
    const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
    const run = new Set(rows.map(({ name }) => name));
    return {
      pending: known.filter((name) => !run.has(name)),
      contracting: [...run].filter((name) => CONTRACTING.test(name) && !known.includes(name)),
    };
  } catch (error) {
    if (isNotMigrated(error)) {
      return { pending: known, contracting: [] };
    }
    throw error;
  }
}

/** Whether an error means that a migration has not run: a table or a column is missing. */
export function isNotMigrated(thrown: unknown): boolean {
  const error = thrown instanceof QueryFailedError ? thrown.driverError : thrown;
  return NOT_MIGRATED.has((error as { code?: string }).code ?? '');
}
