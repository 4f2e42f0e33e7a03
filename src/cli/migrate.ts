import type { Command } from 'commander';
import { readEnv } from '../config/read-env.js';
import { openDatabase } from '../database/startup/open-database.js';
import { migrate, planMigrations } from '../database/startup/migrate.js';
import { SCHEMA } from '../schema.js';
import { stopping } from './stopping.js';
import { command, jsonOption, type JsonOption } from './options.js';
import { printAs } from './output.js';

interface MigrateOptions extends JsonOption {
  plan?: boolean;
}

export function migrateCommand(): Command {
  return command('migrate', 'Run the migrations that the database lacks')
    .option('--plan', 'Print the SQL that would run, and change nothing')
    .addOption(jsonOption())
    .action(async ({ plan, json }: MigrateOptions) => {
      const database = await openDatabase(readEnv(), 'schema', SCHEMA, stopping.signal);
      try {
        await (plan ? printPlan(database.writableUrl, json) : runAndPrint(database.writableUrl, json));
      } finally {
        await database.close();
      }
    });
}

async function runAndPrint(url: string, json?: boolean): Promise<void> {
  const migrated = await migrate(url, SCHEMA, { report: console.error, stopping: stopping.signal });
  const text = migrated.length > 0 ? `Migrated: ${migrated.join(', ')}` : 'The database is up to date.';
  await printAs(json, { migrated }, text);
}

async function printPlan(url: string, json?: boolean): Promise<void> {
  const planned = await planMigrations(url, SCHEMA);
  const sql = planned.map(({ name, statements }) =>
    [`-- ${name}`, ...statements.map((statement) => `${statement.trim()};`)].join('\n'),
  );
  const text = planned.length > 0 ? sql.join('\n\n') : '-- The database is up to date.';
  await printAs(json, { planned }, text);
}
