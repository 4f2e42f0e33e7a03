import { setTimeout as delay } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { withoutName } from '../../email-address/mailbox.js';
import { EXIT_CODE, operatorError } from '../../process/operator-error.js';
import { confirm, yesOption, type YesOption } from '../confirm.js';
import { command } from '../options.js';
import { print } from '../output.js';
import { stopping } from '../stopping.js';
import { Api } from './api.js';

const POLL_MS = 2_000;
const HELP = `
With --keep-block, a keyed hash stays in place of the address: it stays suppressed, but nobody can
read it any more. With --completely, nothing knows afterwards that it must not be mailed, so a
suppressed address requires --accept-may-be-mailed-again. Waits until the erasure has ended, and
prints the receipt as JSON, which has no address. After Ctrl-C, the erasure goes on; the same
command waits again. With a reference under which the address was erased before, it prints that
receipt and erases nothing: if the address has come back, give another reference. The API key
needs the scope contacts:erase.

Examples:
  suppressions person erase ada@example.com --keep-block --reference "Case 4710"
  suppressions person erase ada@example.com --completely --reference "Case 4711"
  suppressions person erase ada@example.com --completely --reference "Case 4711" \\
    --accept-may-be-mailed-again --yes >> receipts.ndjson
`;

class MissingKindError extends operatorError(
  EXIT_CODE.wrongUsage,
  () => 'Give --keep-block or --completely.',
) {}

interface EraseOptions extends YesOption {
  keepBlock?: true;
  completely?: true;
  reference: string;
  acceptMayBeMailedAgain?: boolean;
}

interface Receipt {
  status: 'completed' | 'erasing';
}

export function eraseCommand(): Command {
  return command('erase', 'Erase an address')
    .argument('<address>')
    .addOption(new Option('--keep-block', 'Keep the address suppressed').conflicts('completely'))
    .addOption(new Option('--completely', 'Keep nothing that blocks the address'))
    .requiredOption('--reference <text>', 'Where the request is documented, such as the number of a case')
    .option('--accept-may-be-mailed-again', 'Erase the address even if it is suppressed or opted out')
    .addOption(yesOption())
    .addHelpText('after', HELP)
    .action(erase);
}

async function erase(given: string, options: EraseOptions): Promise<void> {
  const { keepBlock = false, completely = false, reference, acceptMayBeMailedAgain = false } = options;
  if (!keepBlock && !completely) {
    throw new MissingKindError();
  }
  const address = withoutName(given);
  const api = new Api();
  const what = keepBlock ? 'but keep it suppressed' : 'so that nothing is known about it';
  await confirm(`Erase ${address}, ${what}?`, options, 'refuse');
  const body = {
    keep_block: keepBlock,
    reference,
    ...(acceptMayBeMailedAgain && { accept_may_be_mailed_again: true }),
  };
  for (;;) {
    const path = `/contacts/${encodeURIComponent(address)}/erase`;
    const receipt = await api.json<Receipt>('POST', path, {}, body);
    if (receipt.status === 'completed') {
      return print(JSON.stringify(receipt));
    }
    await delay(POLL_MS, undefined, { signal: stopping.signal });
  }
}
