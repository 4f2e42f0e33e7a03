import 'reflect-metadata';
import { Command } from 'commander';
import { reportProblem } from '../operator-error.js';
import { accountCommand } from './account.js';
import { keyCommand } from './key.js';
import { mailCommand } from './mail.js';
import { migrateCommand } from './migrate.js';

const HELP = `
Works on the database at DATABASE_URL, or on the embedded one in DATA_DIR, whether or not the service runs;
"mail inspect" needs none.

Exit codes: 0 done, 1 failed (for one, the database cannot be reached), 2 wrong usage or setting,
3 no such account or key, 4 there is one already.`;

const program = new Command('cli')
  .description('Manages the accounts and API keys of a suppression list, and reads bounces.')
  .addCommand(accountCommand())
  .addCommand(keyCommand())
  .addCommand(mailCommand())
  .addCommand(migrateCommand())
  .addHelpText('after', HELP);

try {
  await program.parseAsync();
} catch (problem) {
  process.exitCode = reportProblem(problem);
}
