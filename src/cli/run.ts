import type { Command } from 'commander';
import { accountCommand } from './account.js';
import { consoleCommand } from './console.js';
import { exitCodeFor } from './exit-code.js';
import { keyCommand } from './key.js';
import { mailCommand } from './mail.js';
import { migrateCommand } from './migrate.js';
import { command } from './options.js';
import { secretsCommand } from './secrets.js';
import { sourceCommand } from './source.js';
import { unsubscribeCommand } from './unsubscribe.js';

const HELP = `
Examples:
  npm run cli -- account create acme --beta
  npm run cli -- key create --account acme --scope suppressions:read
  npm run cli -- source create --account acme --provider postmark
  npm run cli -- console invite ada@example.com --account acme --role admin

Database:
  Commands use the database at DATABASE_URL. Without it, they use the embedded database in
  DATA_DIR, which the service creates when it starts. "mail inspect" needs no database.

Exit codes:
  0  success
  1  failure, for example when the database is unreachable
  2  wrong usage or setting
  3  account, key or source not found
  4  account or key already exists
`;

/**
 * Runs a command line and sets the exit code of the process.
 *
 * @param version - of the package
 */
export async function run(args: string[], version: string): Promise<void> {
  try {
    await operatorProgram(version).parseAsync(args, { from: 'user' });
  } catch (problem) {
    process.exitCode = exitCodeFor(problem);
  }
}

export function operatorProgram(version: string): Command {
  return command('cli', 'Manage the accounts, API keys and sources of a suppression list.')
    .version(version, '--version', 'Print the version')
    .addCommand(accountCommand())
    .addCommand(keyCommand())
    .addCommand(sourceCommand())
    .addCommand(consoleCommand())
    .addCommand(secretsCommand())
    .addCommand(mailCommand())
    .addCommand(unsubscribeCommand())
    .addCommand(migrateCommand())
    .addHelpText('after', HELP);
}
