import { constants } from 'node:os';

/** Shells add this to the number of the signal that ended a command. */
const SIGNALLED = 128;

export function exitCodeOf(signal: NodeJS.Signals): number {
  return SIGNALLED + constants.signals[signal];
}
