import type { Command } from 'commander';
import { readEnv } from '../config/read-env.js';
import { planSpreadOf, spreadDatabase } from '../database/citus/spread-database.js';
import { migrate, planMigrations } from '../database/startup/migrate.js';
import { openDatabase } from '../database/startup/open-database.js';
import { SCHEMA } from '../schema.js';
import { command, jsonOption, numberUpTo, type JsonOption } from './options.js';
import { printAs } from './output.js';
import { stopping } from './stopping.js';

interface MigrateOptions extends JsonOption {
  plan?: boolean;
}

export function migrateCommand(): Command {
  return command('migrate', 'Run the migrations that the database lacks')
    .option('--plan', 'Print the SQL that would run, and change nothing')
    .addOption(jsonOption())
    .action(({ plan, json }: MigrateOptions) =>
      withDatabase((url) => (plan ? printPlan(url, json) : runAndPrint(url, json))),
    );
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

/** Each tick of background work queries every shard. */
const MAX_SHARDS = 128;

const parseShards = numberUpTo(MAX_SHARDS, `Use a number from 1 to ${MAX_SHARDS}.`);

interface SpreadOptions extends JsonOption {
  shards: number;
  plan?: boolean;
}

export function databaseCommand(): Command {
  return command('database', 'Manage the database').addCommand(
    command('spread', 'Spread the accounts over the nodes of Citus; stop all instances first')
      .option('--shards <number>', 'Number of parts into which the accounts are divided', parseShards, 32)
      .option('--plan', 'Print the SQL that would run, and change nothing')
      .addOption(jsonOption())
      .action(spread),
  );
}

/** Opens the database for work on its schema. */
async function withDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const database = await openDatabase(readEnv(), 'schema', SCHEMA, stopping.signal);
  await work(database.writableUrl).finally(() => database.close());
}

function spread({ shards, plan, json }: SpreadOptions): Promise<void> {
  return withDatabase(async (url) => {
    if (plan) {
      const planned = await planSpreadOf(url, shards);
      const text = planned.map((sql) => `${sql};`).join('\n') || '-- All tables are spread.';
      await printAs(json, { planned }, text);
    } else {
      const ran = await spreadDatabase(url, shards);
      const text = ran.length > 0 ? 'The database is spread.' : 'The functions of all nodes are up to date.';
      await printAs(json, { ran }, text);
    }
  });
}
