import type { Command } from 'commander';
import { readEnv } from '../config/env.js';
import { openDatabase } from '../database/open-database.js';
import { migrate } from '../database/migrate.js';
import { SCHEMA } from '../schema.js';
import { stopping } from './context.js';
import { command, jsonOption } from './options.js';

export function migrateCommand(): Command {
  return command('migrate', 'bring the database up to date with this version')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const database = await openDatabase(readEnv(), 'visitor', SCHEMA, stopping.signal);
      try {
        const migrated = await migrate(database.url, SCHEMA);
        const text = migrated.length > 0 ? `Migrated: ${migrated.join(', ')}` : 'The database is up to date.';
        console.log(json ? JSON.stringify({ migrated }) : text);
      } finally {
        await database.close();
      }
    });
}
