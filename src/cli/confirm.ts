import { Option } from 'commander';
import { EXIT_CODE, OperatorError } from '../process/operator-error.js';
import { ask } from './input.js';

export interface YesOption {
  yes?: boolean;
}

export const yesOption = (): Option => new Option('-y, --yes', 'Do not ask for confirmation');

class NotConfirmedError extends OperatorError {
  override readonly exitCode = EXIT_CODE.wrongUsage;
}

/**
 * Asks before something is lost, unless `--yes` is given.
 *
 * @param unattended - what to do if there is no terminal to ask at
 * @throws {NotConfirmedError}
 */
export async function confirm(
  question: string,
  { yes = false }: YesOption,
  unattended: 'refuse' | 'proceed' = 'refuse',
): Promise<void> {
  const canAsk = process.stdin.isTTY && process.stderr.isTTY;
  if (yes || (!canAsk && unattended === 'proceed')) {
    return;
  }
  if (!canAsk) {
    throw new NotConfirmedError('Nothing was changed. Confirm with --yes.');
  }
  if (!/^y(es)?$/i.test((await ask(`${question} [y/N] `))?.trim() ?? '')) {
    throw new NotConfirmedError('Nothing was changed.');
  }
}
