import type { Command } from 'commander';
import { actorText } from '../../audit/actor.js';
import { isErasure, isNewExpiry, isRestoration } from '../../ledger/evidence.js';
import { happenedAt, newestFirst } from '../../ledger/happened-at.js';
import type { CheckedEmailDto, MatchDto } from '../../suppressions/dto/checked.dto.js';
import type { HistoryPageDto } from '../../suppressions/dto/history.dto.js';
import { command, jsonOption } from '../options.js';
import { print, printTable, terminalColumns, wrap } from '../output.js';
import { problemWith, withoutNames } from './addresses.js';
import { Api, ApiProblem } from './api.js';
import type { CheckOptions } from './check.js';
import { shortTime } from './text.js';

/** Resolves the ids of topics and rules to their names. */
class Names {
  private readonly cache = new Map<string, Promise<string>>();

  constructor(private readonly api: Api) {}

  find(kind: 'topics' | 'rules', id: string): Promise<string> {
    const path = `/${kind}/${id}`;
    const name = this.cache.get(path) ?? this.read(path, id);
    this.cache.set(path, name);
    return name;
  }

  /** An id that the API key may not read stays as it is. */
  private async read(path: string, id: string): Promise<string> {
    try {
      const { key, pattern } = await this.api.get<{ key?: string; pattern?: string }>(path);
      return key ?? pattern ?? id;
    } catch (problem) {
      if (problem instanceof ApiProblem && problem.isRefusal) {
        return id;
      }
      throw problem;
    }
  }
}

const HISTORY_LENGTH = '20';
const HELP = `
Shows the verdict with every reason for it, and the latest changes of the address, by when
they happened; with --json, by when they were recorded.

Examples:
  suppressions why ada@example.com
  suppressions why ada@example.com --transactional
  suppressions why ada@example.com --topic news --json
`;

export function whyCommand(): Command {
  return command('why', 'Explain why an address is or is not suppressed')
    .argument('<address>')
    .option('--topic <topic>', 'For mail about a topic, given by its id or key')
    .option('--transactional', 'For transactional mail')
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(async (given: string, { topic, transactional, json }: CheckOptions) => {
      const api = new Api();
      const address = withoutNames([given])[0]!;
      const explained = await explain(api, address, { topic, transactional });
      if (json) {
        return print(JSON.stringify(explained));
      }
      const { verdict, matches = [], history: changes } = explained;
      const names = new Names(api);
      const reasons = await Promise.all(matches.map((match) => reasonOf(match, names)));
      await print(`${address}: ${verdict}`);
      const answer = reasons.length > 0 ? `Reasons: ${reasons.join(', ')}` : withoutReasons(address);
      await print(wrap(answer, terminalColumns()).join('\n'));
      if (changes.length > 0) {
        await print('');
        const isLate = changes.some((change) => whenOf(change) !== shortTime(change.created_at));
        const rows = newestFirst(changes, timeOf).map((change) => toRow(change, names, isLate));
        await printTable(await Promise.all(rows));
      }
    });
}

async function reasonOf({ type, id, cause, effect, topic }: MatchDto, names: Names): Promise<string> {
  const topicName = topic && (await names.find('topics', topic));
  switch (type) {
    case 'rule': {
      const rule = `rule: ${effect} ${await names.find('rules', id)}`;
      return topicName ? `${rule} for ${topicName}` : rule;
    }
    case 'preference':
      return `opted out of ${topicName}`;
    case 'topic_default':
      return `did not opt in to ${topicName}`;
    default:
      return cause ?? type;
  }
}

function withoutReasons(address: string): string {
  const problem = problemWith(address);
  return problem
    ? `This is not an email address: it ${problem}.`
    : 'Nothing keeps this email from being sent.';
}

type ChangeDto = HistoryPageDto['data'][number];

interface Explained extends CheckedEmailDto {
  history: ChangeDto[];
}

/** The verdict about an address with every reason, and its latest changes. */
export async function explain(api: Api, address: string, purpose: object): Promise<Explained> {
  const body = { emails: [address], ...purpose };
  const [{ data }, history] = await Promise.all([
    api.post<{ data: [CheckedEmailDto] }>('/suppressions/check', body, { explain: true }),
    readHistory(api, address),
  ]);
  return { ...data[0], history };
}

/** The latest changes. An address that never changed has no history. */
async function readHistory(api: Api, address: string): Promise<ChangeDto[]> {
  const path = `/suppressions/${encodeURIComponent(address)}/history`;
  try {
    return (await api.get<{ data: ChangeDto[] }>(path, { limit: HISTORY_LENGTH })).data;
  } catch (error) {
    if (error instanceof ApiProblem && [400, 404].includes(error.status ?? 0)) {
      return [];
    }
    throw error;
  }
}

function timeOf({ occurred_at, created_at, evidence }: ChangeDto): Date {
  const isKnown = occurred_at !== null && !isRestoration(evidence);
  return happenedAt(isKnown ? new Date(occurred_at) : null, new Date(created_at));
}

function whenOf(change: ChangeDto): string {
  return shortTime(timeOf(change).toISOString());
}

function nameOfChange(change: ChangeDto): string {
  if (isErasure(change.evidence)) {
    return 'erased';
  }
  return isNewExpiry(change) ? 'new expiry' : change.action.replaceAll('_', ' ');
}

/** @param isLate - whether the service heard of a change later than it happened */
async function toRow(change: ChangeDto, names: Names, isLate: boolean): Promise<Record<string, string>> {
  const { cause, topic, actor, note, evidence, created_at } = change;
  const subject = cause ?? (topic ? await names.find('topics', topic) : '-');
  return {
    'WHEN (UTC)': whenOf(change),
    ...(isLate && { RECORDED: shortTime(created_at) }),
    CHANGE: nameOfChange(change),
    'CAUSE OR TOPIC': isErasure(evidence) ? '-' : subject,
    BY: actorText(actor),
    NOTE: note ?? '-',
  };
}
