import { InvalidArgumentError, type Command } from 'commander';
import { command, jsonOption, type JsonOption } from '../options.js';
import { printTable } from '../table.js';
import { Api } from './api.js';
import { toQuery, withFilterOptions, type FilterOptions } from './filter-options.js';
import { shortTime } from './text.js';

const PAGE_SIZE = 100;
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
      const found = await read(new Api(), limit, filter);
      await printTable(json ? found : found.map(toRow), { json, empty: 'No suppressions.' });
    });
}

function toRow({ email, origin, created_at }: ListedSuppression): Record<string, unknown> {
  return { ADDRESS: email, ORIGIN: origin, 'CREATED (UTC)': shortTime(created_at) };
}

async function read(api: Api, limit: number, filter: FilterOptions): Promise<ListedSuppression[]> {
  const found: ListedSuppression[] = [];
  let hasMore = true;
  while (hasMore && found.length < limit) {
    const page = await api.json<{ has_more: boolean; data: ListedSuppression[] }>('GET', '/suppressions', {
      ...toQuery(filter),
      limit: String(Math.min(PAGE_SIZE, limit - found.length)),
      after: found.at(-1)?.id,
    });
    found.push(...page.data);
    hasMore = page.has_more;
  }
  return found;
}

function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new InvalidArgumentError('Use a whole number from 1.');
  }
  return Number(text);
}
