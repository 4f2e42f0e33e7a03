import type { MigrationInterface } from 'typeorm';

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
