import type { MigrationInterface } from 'typeorm';

/** The tables of all features, passed in because this folder does not depend on any feature. */
export interface Schema {
  entities: (new () => object)[];
  migrations: (new () => MigrationInterface)[];
}
