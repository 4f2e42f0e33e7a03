import { setMaxListeners } from 'node:events';
import { CommanderError, type Command } from 'commander';
import { EXIT_CODE, reportProblem } from '../process/operator-error.js';
import { exitCodeOf, OutputError } from './output.js';

/** Aborted when a signal stops the command, with the name of the signal as the reason. */
export const stopping = new AbortController();
/** Requests at the same time, such as those of an assistant, each add a listener. */
setMaxListeners(0, stopping.signal);

/**
 * Waits for work that a signal leaves in the middle. If a signal stops the command, prints a hint on standard error.
 *
 * @param hint - one or more sentences, such as that a job of the service goes on
 */
export async function watching<Result>(hint: string, watch: () => Promise<Result>): Promise<Result> {
  const say = (): void => console.error(hint);
  stopping.signal.addEventListener('abort', say, { once: true });
  try {
    return await watch();
  } finally {
    stopping.signal.removeEventListener('abort', say);
  }
}

/** Runs a command line and sets the exit code of the process. */
export async function runProgram(program: Command, args: string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (problem) {
    process.exitCode = exitCodeFor(problem);
  }
}

/** Reports a problem, unless commander has done so, or the output has no reader left; returns the exit code. */
function exitCodeFor(problem: unknown): number {
  if (problem instanceof CommanderError) {
    return problem.exitCode === 0 ? 0 : EXIT_CODE.wrongUsage;
  }
  const { aborted, reason } = stopping.signal;
  if (aborted) {
    return exitCodeOf(reason as NodeJS.Signals);
  }
  return problem instanceof OutputError && problem.isClosed ? problem.exitCode : reportProblem(problem);
}
