import type { Command } from 'commander';
import { command } from '../options.js';
import { Api } from './api.js';
import { download } from './download.js';

const HELP = `
A CSV file with the line, a code, and the value of each invalid row.

Examples:
  suppressions import-errors 0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11 > invalid.csv
`;

export function importErrorsCommand(): Command {
  return command('import-errors', 'Print the invalid rows of an import')
    .argument('<import>', 'id of the import')
    .addHelpText('after', HELP)
    .action(async (id: string) => {
      const path = `/imports/${encodeURIComponent(id)}/errors`;
      await download(await new Api().send('GET', path), undefined);
    });
}
