import type { Command } from 'commander';
import { command } from '../options.js';
import { withoutNames } from './addresses.js';
import { Api } from './api.js';
import { download } from './download.js';
import { eraseCommand } from './erase.js';

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
    .option('-o, --output <file>', 'Write to a file instead of standard output')
    .addHelpText('after', ACCESS_HELP)
    .action(async (given: string, { output }: { output?: string }) => {
      const path = `/contacts/${encodeURIComponent(withoutNames([given])[0]!)}/data`;
      await download(await new Api().send('GET', path), output);
    });
}
