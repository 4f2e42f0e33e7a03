import { constants } from 'node:os';
import { CommanderError } from 'commander';
import { EXIT_CODE, reportProblem } from '../process/operator-error.js';
import { stopping } from './stopping.js';

/** Shells add this to the number of the signal that ended a command. */
const SIGNALLED = 128;

/** Reports a problem, unless commander has done so; returns the exit code. */
export function exitCodeFor(problem: unknown): number {
  if (problem instanceof CommanderError) {
    return problem.exitCode === 0 ? 0 : EXIT_CODE.wrongUsage;
  }
  const { aborted, reason } = stopping.signal;
  return aborted ? SIGNALLED + constants.signals[reason as NodeJS.Signals] : reportProblem(problem);
}
