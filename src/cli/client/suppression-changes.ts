import { Option, type Command } from 'commander';
import { CAUSES } from '../../ledger/cause.js';
import { CONSENT_KINDS } from '../../ledger/evidence.js';
import { confirm, yesOption, type YesOption } from '../input.js';
import { choice, command, jsonOption, parseExpiry, type JsonOption } from '../options.js';
import { printAs } from '../output.js';
import { readValidAddresses, sendInBatches } from './addresses.js';
import { Api } from './api.js';
import { consentOf, type ConsentOptions } from './consent.js';
import { withCommas } from './text.js';

const MAX_EMAILS = 100;
const ADD_HELP = `
Examples:
  suppressions add ada@example.com --note "Asked on the phone"
  suppressions add ada@example.com --unsubscribe --note "Wants no more mailings"
  suppressions add grace@example.com --expires 30d
  suppressions add grace@example.com --expires 2027-01-15T09:30:00Z
  suppressions add - < addresses.txt
`;

interface AddOptions extends JsonOption {
  note?: string;
  expires?: Date;
  unsubscribe?: boolean;
}

export function addCommand(): Command {
  return command('add', 'Suppress addresses by hand')
    .argument('<address...>', 'Addresses, or - to read them from standard input, one per line')
    .option('--note <text>', 'A note for the history')
    .option('--expires <time>', 'When the suppression expires: 90d, 12h, 30m, 2027-01-15, …', parseExpiry)
    .addOption(
      new Option(
        '--unsubscribe',
        'Unsubscribe the addresses instead: this alone does not stop transactional mail',
      ).conflicts('expires'),
    )
    .addOption(jsonOption())
    .addHelpText('after', ADD_HELP)
    .action(async (args: string[], { note, expires, unsubscribe, json }: AddOptions) => {
      const api = new Api();
      const addresses = await readValidAddresses(args);
      if (unsubscribe) {
        const contacts = await unsubscribeAll(api, addresses, note);
        await printAs(json, contacts, `Unsubscribed: ${withCommas(contacts.length)}`);
        return;
      }
      const added = await sendInBatches(addresses, MAX_EMAILS, (emails) =>
        api.post('/suppressions/batch/add', { emails, note, expires_at: expires?.toISOString() }),
      );
      await printAs(json, added, `Suppressed: ${withCommas(added.length)}`);
    });
}

function unsubscribeAll(api: Api, addresses: string[], note?: string): Promise<object[]> {
  return sendInBatches(addresses, 1, async ([email]) => {
    const path = `/contacts/${encodeURIComponent(email!)}`;
    return { data: [await api.json<object>('PATCH', path, { unsubscribed: true, note })] };
  });
}

const REMOVE_HELP = `
Removed addresses may be mailed again. Their history is kept.

Examples:
  suppressions remove ada@example.com --note "Asked to be mailed again"
  suppressions remove ada@example.com --cause bounce --yes
  suppressions remove ada@example.com --consent recipient_request --reference "Case 4711"
  suppressions remove - --yes < addresses.txt
`;

interface RemoveOptions extends JsonOption, YesOption, ConsentOptions {
  cause?: string;
  note?: string;
}

export function removeCommand(): Command {
  return command('remove', 'Remove addresses from the list')
    .argument('<address...>', 'Addresses, or - to read them from standard input, one per line')
    .addOption(choice('--cause <cause>', 'Remove only this cause', CAUSES))
    .option('--note <text>', 'A note for the history')
    .addOption(
      choice('--consent <kind>', 'Evidence for the removal, if the account guards removals', CONSENT_KINDS),
    )
    .option('--reference <text>', 'Where the consent is documented')
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText('after', REMOVE_HELP)
    .action(async (args: string[], options: RemoveOptions, self: Command) => {
      const { cause, note, yes, json } = options;
      const consent = consentOf(self, options);
      const api = new Api();
      const addresses = await readValidAddresses(args);
      const what = addresses.length === 1 ? addresses[0] : `${withCommas(addresses.length)} addresses`;
      await confirm(`Remove ${what} from the list, so that they may be mailed again?`, { yes });
      const removed = await sendInBatches(addresses, MAX_EMAILS, (emails) =>
        api.post('/suppressions/batch/remove', { emails, cause, note, consent }),
      );
      const absent = addresses.length - removed.length;
      const why = cause ? 'without this cause' : 'not on the list';
      const rest = absent > 0 ? `, ${why}: ${withCommas(absent)}` : '';
      await printAs(json, removed, `Removed: ${withCommas(removed.length)}${rest}`);
    });
}
