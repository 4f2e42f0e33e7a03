import { createInterface } from 'node:readline/promises';
import { EXIT_CODE, OperatorError } from '../../process/operator-error.js';
import { stopping } from '../stopping.js';

class NotConfirmedError extends OperatorError {
  override readonly name = 'NotConfirmedError';
  override readonly exitCode = EXIT_CODE.wrongUsage;
}

/**
 * Asks before something is lost.
 *
 * @param isConfirmed - by the option `--yes`
 * @throws {NotConfirmedError}
 */
export async function confirm(question: string, isConfirmed = false): Promise<void> {
  if (isConfirmed) {
    return;
  }
  if (!process.stdin.isTTY) {
    throw new NotConfirmedError('Nothing was changed. Confirm with --yes.');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal
    .question(`${question} [y/N] `, { signal: stopping.signal })
    .finally(() => terminal.close());
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw new NotConfirmedError('Nothing was changed.');
  }
}
