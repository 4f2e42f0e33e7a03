import type { DataSource, MigrationInterface } from 'typeorm';
import { codeOf } from '../errors.js';

export type Migration = new () => MigrationInterface;

/** The tables of all features, passed in because this folder does not depend on any feature. */
export interface Schema {
  entities: (new () => object)[];
  migrations: Migration[];
  released: ReleasedSchema;
}

/** The schema that was released first. Its databases have no checksums. */
export interface ReleasedSchema {
  /** The number of its last migration. */
  last: number;
  /** Hashes of its tables, indexes, functions, and types, by their names, as `describeSchema` returns them. */
  objects: Record<string, string>;
}

/** The number at the end of the name of a migration. */
export function numberOf(name: string): number {
  return Number(name.slice(-13));
}

const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';
/** Names of migrations that remove what the previous version needs. All others only add. */
const CONTRACTING = /^Contract/;

/** The differences between the database and the schema of this version. */
export interface SchemaDifference {
  /** Migrations of this version that the database lacks. */
  pending: string[];
  /** Migrations of a newer version that removed what this version may need. */
  contracting: string[];
}

export async function compareSchema(dataSource: DataSource): Promise<SchemaDifference> {
  const known = dataSource.migrations.map((migration) => migration.constructor.name);
  const run = await readMigrations(dataSource);
  return {
    pending: known.filter((name) => !run.includes(name)),
    contracting: run.filter((name) => CONTRACTING.test(name) && !known.includes(name)),
  };
}

/** @returns the names of the migrations that ran */
export async function readMigrations(dataSource: DataSource): Promise<string[]> {
  const rows = await unlessNoTable(dataSource.query<{ name: string }[]>('SELECT name FROM migrations'));
  return (rows ?? []).map(({ name }) => name);
}

/** @returns undefined if the table is missing */
export async function unlessNoTable<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  return reading.catch((error: unknown) => {
    if (codeOf(error) !== UNDEFINED_TABLE) {
      throw error;
    }
    return undefined;
  });
}

/** Whether an error means that a migration has not run: a table or a column is missing. */
export function isNotMigrated(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === UNDEFINED_TABLE || code === UNDEFINED_COLUMN;
}
