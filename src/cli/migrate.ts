import type { Command } from 'commander';
import { readEnv } from '../config/env.js';
import { openDatabase } from '../database/open-database.js';
import { migrate } from '../database/migrate.js';
import { command } from './options.js';

export function migrateCommand(): Command {
  return command('migrate', 'bring the database up to date with this version').action(async () => {
    const database = await openDatabase(readEnv(), 'visitor');
    try {
      const names = await migrate(database.url);
      console.log(names.length > 0 ? `Migrated: ${names.join(', ')}` : 'The database is up to date.');
    } finally {
      await database.close();
    }
  });
}
