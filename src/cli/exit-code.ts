import { CommanderError } from 'commander';
import { EXIT_CODE, reportProblem } from '../process/operator-error.js';
import { OutputError } from './output.js';
import { exitCodeOf } from './signal.js';
import { stopping } from './stopping.js';

/** Reports a problem, unless commander has done so, or the output has no reader left; returns the exit code. */
export function exitCodeFor(problem: unknown): number {
  if (problem instanceof CommanderError) {
    return problem.exitCode === 0 ? 0 : EXIT_CODE.wrongUsage;
  }
  const { aborted, reason } = stopping.signal;
  if (aborted) {
    return exitCodeOf(reason as NodeJS.Signals);
  }
  return problem instanceof OutputError && problem.isClosed ? problem.exitCode : reportProblem(problem);
}
