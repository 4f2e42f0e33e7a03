import { Option, type Command } from 'commander';
import type { ErasureDto } from '../../contacts/erasure/erasure.dto.js';
import { OperatorError, UsageError } from '../../process/operator-error.js';
import { confirm, yesOption, type YesOption } from '../input.js';
import { command, outputFile, outputOption, type OutputOption } from '../options.js';
import { print } from '../output.js';
import { watching } from '../stopping.js';
import { withoutNames } from './addresses.js';
import { Api, ApiProblem } from './api.js';
import { download } from './files/download.js';
import { poll, retriesAfterFirst } from './reads.js';
import { repeatErasures } from './repeat-erasures.js';

const POLL_MS = 2_000;
const IN_PROGRESS = 'erasure_in_progress';
const ENDS_SUPPRESSION = 'erasure_ends_suppression';
const GOES_ON = 'An erasure that has begun goes on. The same command waits for it again.';
const HELP = `
With --keep-block, a keyed hash replaces the address: the address stays suppressed, but can no
longer be read. With --completely, no record is left that it must not be mailed, so a suppressed
address requires --accept-may-be-mailed-again. Waits until the erasure has ended, and prints the
receipt as JSON, which has no address. After Ctrl-C, the erasure goes on; the same command waits
again. With a reference under which the address was erased before, it prints that receipt and
erases nothing: if the address has come back, give another reference. The API key
needs the scope contacts:erase.

With --from, erases addresses that a restored backup brought back, and prints how many it found. The
file has their receipts, one on each line, as this command printed them. An address that is only
quoted in texts is not found. One that was suppressed or opted out after its complete erasure stays,
and its pseudonym is printed: to erase it anyway, give the address with another reference. After
Ctrl-C, the erasures that have begun go on; repeat the command for the others.

Examples:
  suppressions person erase ada@example.com --keep-block --reference "Case 4710"
  suppressions person erase ada@example.com --completely --reference "Case 4711"
  suppressions person erase ada@example.com --completely --reference "Case 4711" \\
    --accept-may-be-mailed-again --yes >> receipts.ndjson
  suppressions person erase --from receipts.ndjson --yes
`;

interface EraseOptions extends YesOption {
  keepBlock?: true;
  completely?: true;
  reference?: string;
  from?: string;
  acceptMayBeMailedAgain?: boolean;
}

function eraseCommand(): Command {
  return command('erase', 'Erase an address')
    .argument('[address]')
    .addOption(new Option('--keep-block', 'Keep the address suppressed').conflicts('completely'))
    .addOption(new Option('--completely', 'Keep nothing that blocks the address'))
    .option('--reference <text>', 'Where the request is documented, such as the number of a case')
    .addOption(
      new Option(
        '--from <file>',
        'Repeat the erasures of receipts after a restore; - reads standard input',
      ).conflicts(['keepBlock', 'completely', 'reference', 'acceptMayBeMailedAgain']),
    )
    .option('--accept-may-be-mailed-again', 'Erase the address even if it is suppressed or opted out')
    .addOption(yesOption())
    .addHelpText('after', HELP)
    .action(erase);
}

async function erase(given: string | undefined, options: EraseOptions): Promise<void> {
  const { keepBlock = false, completely = false, reference, from, acceptMayBeMailedAgain = false } = options;
  if (from !== undefined && given === undefined) {
    await confirm('Repeat all erasures of these receipts?', options, 'refuse');
    return repeatErasures(new Api(), from);
  }
  if (given === undefined || from !== undefined || reference === undefined || keepBlock === completely) {
    throw new UsageError(
      'Give an address with --reference and --keep-block or --completely, or --from alone.',
    );
  }
  const address = withoutNames([given])[0]!;
  const api = new Api();
  const what = keepBlock ? 'but keep it suppressed' : 'so that nothing is known about it';
  await confirm(`Erase ${address}, ${what}?`, options, 'refuse');
  const body = {
    keep_block: keepBlock,
    reference,
    ...(acceptMayBeMailedAgain && { accept_may_be_mailed_again: true }),
  };
  const send = retriesAfterFirst('The erasure');
  const receipt = await watching(GOES_ON, () =>
    poll(() => send(() => erasureOf(api, address, body)), POLL_MS),
  );
  await print(JSON.stringify(receipt));
}

/** Undefined while this or another erasure of the address is running. */
async function erasureOf(api: Api, address: string, body: object): Promise<ErasureDto | undefined> {
  try {
    const path = `/contacts/${encodeURIComponent(address)}/erase`;
    const erasure = await api.post<ErasureDto>(path, body);
    return erasure.status === 'completed' ? erasure : undefined;
  } catch (error) {
    if (error instanceof ApiProblem && error.code === IN_PROGRESS) {
      return undefined;
    }
    if (error instanceof ApiProblem && error.code === ENDS_SUPPRESSION) {
      throw new OperatorError(
        'The address must not be mailed, and no record of this would remain. Nothing was erased. ' +
          'To erase it nevertheless, add --accept-may-be-mailed-again.',
      );
    }
    throw error;
  }
}

const ACCESS_HELP = `
Prints JSON with every row that is about the address or quotes it, where it comes from, and
how long it is kept. The API key needs the scope contacts:read. The audit log records the
request without the address.

Examples:
  suppressions person access ada@example.com
  suppressions person access ada@example.com --output ada.json
`;

export function personCommand(): Command {
  return command('person', 'Answer requests of recipients about their personal data')
    .addCommand(accessCommand())
    .addCommand(eraseCommand());
}

function accessCommand(): Command {
  return command('access', 'Print everything about an address')
    .argument('<address>')
    .addOption(outputOption())
    .addHelpText('after', ACCESS_HELP)
    .action(async (given: string, { output }: OutputOption) => {
      const path = `/contacts/${encodeURIComponent(withoutNames([given])[0]!)}/data`;
      await download(await new Api().send('GET', path), outputFile(output));
    });
}
