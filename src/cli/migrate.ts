import type { Command } from 'commander';
import { readEnv } from '../config/env.js';
import { openDatabase } from '../database/open-database.js';
import { migrate } from '../database/migrate.js';
import { SCHEMA } from '../schema.js';
import { stopping } from './context.js';
import { command, jsonOption, type JsonOption } from './options.js';
import { print } from './output.js';

export function migrateCommand(): Command {
  return command('migrate', 'Run the migrations that the database lacks')
    .addOption(jsonOption())
    .action(async ({ json }: JsonOption) => {
      const database = await openDatabase(readEnv(), 'visitor', SCHEMA, stopping.signal);
      try {
        const migrated = await migrate(database.url, SCHEMA);
        const text = migrated.length > 0 ? `Migrated: ${migrated.join(', ')}` : 'The database is up to date.';
        await print(json ? JSON.stringify({ migrated }) : text);
      } finally {
        await database.close();
      }
    });
}
