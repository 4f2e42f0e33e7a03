import type { Command } from 'commander';
import type { CheckedEmailDto, MatchDto } from '../../suppressions/dto/checked.dto.js';
import { command, jsonOption, type JsonOption } from '../options.js';
import { printTable } from '../output.js';
import { problemWith, readAddresses, sendInBatches } from './addresses.js';
import { Api } from './api.js';

const MAX_EMAILS = 1_000;
const HELP = `
Exit code 0 means that all addresses were checked, whatever the verdict.

Examples:
  suppressions check ada@example.com
  suppressions check ada@example.com grace@example.com --topic news
  cut -d, -f2 customers.csv | suppressions check - --json
`;

export interface CheckOptions extends JsonOption {
  topic?: string;
  transactional?: boolean;
}

export function checkCommand(): Command {
  return command('check', 'Check whether addresses may be mailed')
    .argument('<address...>', 'Addresses, or - to read them from standard input, one per line')
    .option('--topic <topic>', 'Check for mail about a topic, given by its id or key')
    .option('--transactional', 'Check for transactional mail')
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(async (args: string[], { topic, transactional, json }: CheckOptions) => {
      const api = new Api();
      const addresses = await readAddresses(args);
      const checked = await sendInBatches<CheckedEmailDto>(addresses, MAX_EMAILS, (emails) =>
        api.post('/suppressions/check', { emails, topic, transactional }),
      );
      await printTable(checked, { json, toRow });
    });
}

function toRow({ email, verdict, decided_by }: CheckedEmailDto): Record<string, unknown> {
  const reason = decided_by ? reasonOf(decided_by) : (problemWith(email) ?? null);
  return { ADDRESS: email, VERDICT: verdict, REASON: reason };
}

function reasonOf({ type, cause, effect }: MatchDto): string {
  switch (type) {
    case 'suppression':
      return cause ?? 'suppression';
    case 'rule':
      return `rule (${effect})`;
    default:
      return type.replaceAll('_', ' ');
  }
}
