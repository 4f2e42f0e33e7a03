import { CommanderError } from 'commander';
import { EXIT_CODE, reportProblem } from '../process/operator-error.js';
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

/**
 * Does what a line of arguments says, and sets the exit code of the process.
 *
 * @param version - of the package
 */
export async function run(args: string[], version: string): Promise<void> {
  const program = command(
    'cli',
    'Manages the accounts, API keys and sources of a suppression list, and reads bounces.',
  )
    .version(version, '--version', 'print the version of the package')
    .addCommand(accountCommand())
    .addCommand(keyCommand())
    .addCommand(mailCommand())
    .addCommand(sourceCommand())
    .addCommand(migrateCommand())
    .addHelpText('after', HELP);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (problem) {
    process.exitCode = exitCodeFor(problem);
  }
}

/** Says what went wrong; of wrong usage commander has spoken already. */
function exitCodeFor(problem: unknown): number {
  if (problem instanceof CommanderError) {
    return problem.exitCode === 0 ? 0 : EXIT_CODE.wrongUsage;
  }
  return stopping.signal.aborted ? INTERRUPTED : reportProblem(problem);
}
