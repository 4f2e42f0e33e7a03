import type { Command } from 'commander';
import type { SuppressionDto } from '../../suppressions/dto/suppression.dto.js';
import { command, jsonOption, limitOption, type LimitOption } from '../options.js';
import { withFilterOptions } from './filter-options.js';
import { printPages } from './reads.js';
import { shortTime } from './text.js';

const HELP = `
Newest first. For the whole list, use: suppressions export

Examples:
  suppressions list
  suppressions list --cause complaint --created-after 2026-01-01 --limit 200
  suppressions list --domain example.com --json
`;
const SUPPRESSIONS = { path: '/suppressions', things: 'suppressions', toRow };

export function listCommand(): Command {
  return withFilterOptions(command('list', 'List suppressions'))
    .addOption(limitOption('suppressions'))
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action((options: LimitOption) => printPages(SUPPRESSIONS, options));
}

function toRow({ email, origin, created_at }: SuppressionDto): Record<string, unknown> {
  return { ADDRESS: email, ORIGIN: origin, 'CREATED (UTC)': shortTime(created_at) };
}
