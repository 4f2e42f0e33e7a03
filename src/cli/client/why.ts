import type { Command } from 'commander';
import { command, jsonOption } from '../options.js';
import { print } from '../output.js';
import { Api, ApiProblem } from './api.js';
import { reasonOf, type CheckedBody, type CheckOptions } from './check.js';
import { printRows, shortTime } from './table.js';

const HISTORY_LENGTH = '20';
const NOT_FOUND = 404;
const HELP = `
Shows the verdict with every reason for it, and the latest changes of the address.

Examples:
  suppressions why ada@example.com
  suppressions why ada@example.com --transactional
  suppressions why ada@example.com --topic news --json
`;

interface Change {
  action: string;
  cause: string | null;
  topic: string | null;
  actor: { type: string; name: string };
  note: string | null;
  created_at: string;
}

export function whyCommand(): Command {
  return command('why', 'Explain why an address is or is not suppressed')
    .argument('<address>')
    .option('--topic <topic>', 'For the mail of a topic: its id or key')
    .option('--transactional', 'For transactional mail')
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(async (address: string, { topic, transactional, json }: CheckOptions) => {
      const api = new Api();
      const [checked, changes] = await Promise.all([
        explain(api, { emails: [address], topic, transactional }),
        readHistory(api, address),
      ]);
      if (json) {
        return print(JSON.stringify({ ...checked, history: changes }));
      }
      const reasons = (checked.matches ?? []).map(reasonOf);
      await print(`${address}: ${checked.verdict}`);
      await print(reasons.length > 0 ? `Reasons: ${reasons.join(', ')}` : withoutReasons(checked.verdict));
      if (changes.length > 0) {
        await print('');
        await printRows(changes.map(toRow));
      }
    });
}

function withoutReasons(verdict: string): string {
  return verdict === 'invalid'
    ? 'This is not an email address.'
    : 'Nothing keeps this email from being sent.';
}

async function explain(api: Api, body: object): Promise<CheckedBody> {
  const { data } = await api.json<{ data: CheckedBody[] }>(
    'POST',
    '/suppressions/check',
    { explain: 'true' },
    body,
  );
  return data[0]!;
}

/** An address that never changed has no history. */
async function readHistory(api: Api, address: string): Promise<Change[]> {
  const path = `/suppressions/${encodeURIComponent(address)}/history`;
  try {
    return (await api.json<{ data: Change[] }>('GET', path, { limit: HISTORY_LENGTH })).data;
  } catch (error) {
    if (error instanceof ApiProblem && [NOT_FOUND, 400].includes(error.status ?? 0)) {
      return [];
    }
    throw error;
  }
}

function toRow({ action, cause, topic, actor, note, created_at }: Change): Record<string, string> {
  return {
    'WHEN (UTC)': shortTime(created_at),
    CHANGE: action.replaceAll('_', ' '),
    'CAUSE OR TOPIC': cause ?? topic ?? '-',
    BY: `${actor.type.replaceAll('_', ' ')} ${actor.name}`,
    NOTE: note ?? '-',
  };
}
