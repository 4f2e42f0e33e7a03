import { Option, type Command } from 'commander';
import { CAUSES } from '../../ledger/cause.js';
import { CONSENT_KINDS } from '../../ledger/evidence.js';
import { confirm, yesOption, type YesOption } from '../input.js';
import { command, jsonOption, type JsonOption } from '../options.js';
import { printAs } from '../output.js';
import { readValidAddresses, sendInBatches } from './addresses.js';
import { Api } from './api.js';
import { withCommas } from './text.js';

const MAX_EMAILS = 100;
const HELP = `
Removed addresses may be mailed again. Their history is kept.

Examples:
  suppressions remove ada@example.com --note "Asked to be mailed again"
  suppressions remove ada@example.com --cause bounce --yes
  suppressions remove ada@example.com --consent recipient_request --reference "Case 4711"
  suppressions remove - --yes < addresses.txt
`;

interface RemoveOptions extends JsonOption, YesOption {
  cause?: string;
  note?: string;
  consent?: string;
  reference?: string;
}

export function removeCommand(): Command {
  return command('remove', 'Remove addresses from the list')
    .argument('<address...>', 'addresses, or - to read them from standard input, one per line')
    .addOption(new Option('--cause <cause>', 'Remove only this cause').choices([...CAUSES]))
    .option('--note <text>', 'A note for the history')
    .addOption(
      new Option('--consent <kind>', 'Evidence for the removal, if the account guards removals').choices(
        CONSENT_KINDS,
      ),
    )
    .option('--reference <text>', 'Where the consent is documented')
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(async (args: string[], options: RemoveOptions, self: Command) => {
      const { cause, note, consent: kind, reference, yes, json } = options;
      if (reference !== undefined && !kind) {
        self.error(
          `error: --reference documents a consent. Add --consent <kind>: ${CONSENT_KINDS.join(', ')}`,
        );
      }
      const consent = kind && { kind, reference };
      const api = new Api();
      const addresses = await readValidAddresses(args);
      const what = addresses.length === 1 ? addresses[0] : `${withCommas(addresses.length)} addresses`;
      await confirm(`Remove ${what} from the list, so that they may be mailed again?`, { yes });
      const removed = await sendInBatches<unknown>(addresses, MAX_EMAILS, (emails) =>
        api.json('POST', '/suppressions/batch/remove', {}, { emails, cause, note, consent }),
      );
      const absent = addresses.length - removed.length;
      await printAs(
        json,
        removed,
        `Removed: ${withCommas(removed.length)}${absent > 0 ? `, not on the list: ${withCommas(absent)}` : ''}`,
      );
    });
}
