import type { Command } from 'commander';
import { command, jsonOption, type JsonOption } from '../options.js';
import { print } from '../output.js';
import { inBatches, readAddresses } from './addresses.js';
import { Api } from './api.js';
import { withCommas } from './table.js';

const MAX_EMAILS = 100;
const HELP = `
Examples:
  suppressions add ada@example.com --note "Asked on the phone"
  suppressions add - < addresses.txt
`;

interface AddOptions extends JsonOption {
  note?: string;
}

export function addCommand(): Command {
  return command('add', 'Suppress addresses by hand')
    .argument('<address...>', 'addresses, or - for standard input, one a line')
    .option('--note <text>', 'A note for the history')
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(async (args: string[], { note, json }: AddOptions) => {
      const api = new Api();
      const added: unknown[] = [];
      for (const emails of inBatches(await readAddresses(args), MAX_EMAILS)) {
        const { data } = await api.json<{ data: unknown[] }>(
          'POST',
          '/suppressions/batch/add',
          {},
          { emails, note },
        );
        added.push(...data);
      }
      await print(json ? JSON.stringify(added) : `Suppressed: ${withCommas(added.length)}`);
    });
}
