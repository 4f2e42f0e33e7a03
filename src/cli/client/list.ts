import type { Command } from 'commander';
import { command, jsonOption, parseLimit, type JsonOption } from '../options.js';
import { printTable } from '../output.js';
import { Api } from './api.js';
import { toQuery, withFilterOptions, type FilterOptions } from './filter-options.js';
import { readPages } from './reads.js';
import { shortTime } from './text.js';

const HELP = `
Newest first. For the whole list, use: suppressions export

Examples:
  suppressions list
  suppressions list --cause complaint --created-after 2026-01-01 --limit 200
  suppressions list --domain example.com --json
`;

interface ListedSuppression {
  id: string;
  email: string;
  origin: string;
  created_at: string;
}

interface ListOptions extends FilterOptions, JsonOption {
  limit: number;
}

export function listCommand(): Command {
  return withFilterOptions(command('list', 'List suppressions'))
    .option('-n, --limit <count>', 'Maximum number of suppressions', parseLimit, 30)
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(async ({ limit, json, ...filter }: ListOptions) => {
      const found = await readPages<ListedSuppression>(new Api(), '/suppressions', {
        query: toQuery(filter),
        limit,
        cursorOf: ({ data }) => data.at(-1)?.id,
      });
      await printTable(json ? found : found.map(toRow), { json, empty: 'No suppressions.' });
    });
}

function toRow({ email, origin, created_at }: ListedSuppression): Record<string, unknown> {
  return { ADDRESS: email, ORIGIN: origin, 'CREATED (UTC)': shortTime(created_at) };
}
