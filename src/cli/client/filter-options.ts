import type { Command } from 'commander';
import { CAUSES, ORIGINS } from '../../ledger/cause.js';
import { choice } from '../options.js';

export function withFilterOptions(filtered: Command): Command {
  return filtered
    .addOption(
      choice(
        '--cause <cause>',
        'Only suppressions with this cause, even if it is not their strongest',
        CAUSES,
      ),
    )
    .addOption(choice('--origin <origin>', 'Only suppressions with this origin', ORIGINS))
    .option('--domain <domain>', 'Only addresses at this domain')
    .option(
      '--created-after <time>',
      'Only suppressions created after this time, such as 2026-01-15 or 2026-01-15T09:30:00Z',
    )
    .option('--created-before <time>', 'Only suppressions created before this time');
}
