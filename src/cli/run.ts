import type { Command } from 'commander';
import { accountCommand } from './account.js';
import { consoleCommand } from './console.js';
import { databaseCommand, migrateCommand } from './database.js';
import { runProgram } from './stopping.js';
import { keyCommand } from './key.js';
import { mailCommand } from './mail.js';
import { command } from './options.js';
import { secretsCommand } from './secrets.js';
import { sourceCommand } from './source/source.js';
import { unsubscribeCommand } from './unsubscribe.js';
import { webhookCommand } from './webhook.js';

/** @param version - of the package */
export function run(args: string[], version: string): Promise<void> {
  return runProgram(operatorProgram(version), args);
}

export function operatorProgram(version: string): Command {
  return command('suppressions', 'Manage the accounts, API keys and sources of a suppression list.')
    .version(version, '--version', 'Print the version')
    .addCommand(accountCommand())
    .addCommand(keyCommand())
    .addCommand(sourceCommand())
    .addCommand(consoleCommand())
    .addCommand(secretsCommand())
    .addCommand(mailCommand())
    .addCommand(unsubscribeCommand())
    .addCommand(webhookCommand())
    .addCommand(migrateCommand())
    .addCommand(databaseCommand());
}
