import type { MigrationInterface } from 'typeorm';

/** The tables of all features. They are passed in, since this folder does not depend on any feature. */
export interface Schema {
  entities: (new () => object)[];
  migrations: (new () => MigrationInterface)[];
}
