import type { Command } from 'commander';
import { command, jsonOption, parseExpiry, type JsonOption } from '../options.js';
import { printAs } from '../output.js';
import { readValidAddresses, sendInBatches } from './addresses.js';
import { Api } from './api.js';
import { withCommas } from './text.js';

const MAX_EMAILS = 100;
const HELP = `
Examples:
  suppressions add ada@example.com --note "Asked on the phone"
  suppressions add grace@example.com --expires 30d
  suppressions add grace@example.com --expires 2027-01-15T09:30:00Z
  suppressions add - < addresses.txt
`;

interface AddOptions extends JsonOption {
  note?: string;
  expires?: Date;
}

export function addCommand(): Command {
  return command('add', 'Suppress addresses by hand')
    .argument('<address...>', 'addresses, or - to read them from standard input, one per line')
    .option('--note <text>', 'A note for the history')
    .option('--expires <time>', 'When the suppression expires: 90d, 12h, 30m, 2027-01-15, …', parseExpiry)
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(async (args: string[], { note, expires, json }: AddOptions) => {
      const api = new Api();
      const addresses = await readValidAddresses(args);
      const added = await sendInBatches<unknown>(addresses, MAX_EMAILS, (emails) =>
        api.json('POST', '/suppressions/batch/add', {}, { emails, note, expires_at: expires?.toISOString() }),
      );
      await printAs(json, added, `Suppressed: ${withCommas(added.length)}`);
    });
}
