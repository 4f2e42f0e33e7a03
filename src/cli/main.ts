import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { reportProblem } from '../operator-error.js';
import { accountCommand } from './account.js';
import { stopping } from './context.js';
import { keyCommand } from './key.js';
import { mailCommand } from './mail.js';
import { migrateCommand } from './migrate.js';
import { command } from './options.js';
import { sourceCommand } from './source.js';

const HELP = `
Works on the database at DATABASE_URL, or on the embedded one in DATA_DIR, whether or not the service runs;
"mail inspect" needs none.

Exit codes: 0 done, 1 failed (for one, the database cannot be reached), 2 wrong usage or setting,
3 no such account, key or source, 4 there is one already.`;

/** As shells have it: 128 and the number of SIGINT. */
const INTERRUPTED = 130;

/** The output belongs to scripts. */
Logger.overrideLogger(false);
/** Whoever reads it may leave early, as head(1) does: the command still ends in order. */
process.stdout.on('error', () => undefined);

const program = command(
  'cli',
  'Manages the accounts, API keys and sources of a suppression list, and reads bounces.',
)
  .version(versionOfPackage(), '--version', 'print the version of the package')
  .addCommand(accountCommand())
  .addCommand(keyCommand())
  .addCommand(mailCommand())
  .addCommand(sourceCommand())
  .addCommand(migrateCommand())
  .addHelpText('after', HELP);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort());
}
try {
  await program.parseAsync();
} catch (problem) {
  process.exitCode = stopping.signal.aborted ? INTERRUPTED : reportProblem(problem);
}

function versionOfPackage(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
