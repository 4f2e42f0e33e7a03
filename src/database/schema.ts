import type { MigrationInterface } from 'typeorm';

/** What the service stores: handed to this folder, which knows no feature. */
export interface Schema {
  entities: (new () => object)[];
  migrations: (new () => MigrationInterface)[];
}
