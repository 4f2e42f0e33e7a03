import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from '../options.js';
import { fieldLines, table, terminalColumns } from '../output.js';
import { stopping, watching } from '../stopping.js';
import type { Api } from './api.js';
import { POLL_MS, readWithRetries } from './reads.js';
import { Progress, shortTime, withCommas } from './text.js';

export interface LiftBody {
  id: string;
  status: string;
  cause: string;
  created_after: string | null;
  created_before: string | null;
  domains: string[] | null;
  source: string | null;
  actor: string | null;
  diagnostic: string | null;
  count: number;
  by_domain: { domain: string; count: number }[];
  by_diagnostic: { diagnostic: string | null; count: number }[];
  examples: LineBody[];
  failed_again: number;
  delivered_before: number;
  applied: number;
  skipped: number;
  reverted: number;
  error: { message: string } | null;
  created_at: string;
  expires_at: string | null;
  revertible_until: string | null;
}

export interface LineBody {
  email: string;
  cause: string;
  created_at: string;
  diagnostic: string | null;
  status: string;
  reason: string | null;
}

/** How many lines a step has done, by the status of the lift during the step. */
const DONE: Readonly<Record<string, (lift: LiftBody) => [done: number, total: number | null]>> = {
  counting: ({ count }) => [count, null],
  applying: ({ applied, skipped, count }) => [applied + skipped, count],
  reverting: ({ reverted, applied }) => [reverted, applied],
};

export function readLift(api: Api, id: string): Promise<LiftBody> {
  return api.json('GET', liftPath(id));
}

export function liftPath(id: string): string {
  return `/lifts/${encodeURIComponent(id)}`;
}

/** Waits until the service has ended the step that it works on. */
export function watchLift(api: Api, id: string): Promise<LiftBody> {
  const hint = `The lift ${id} goes on. To see how far it is: ${commandLine('lift', 'show', id)}`;
  return watching(hint, () => watch(api, id));
}

async function watch(api: Api, id: string): Promise<LiftBody> {
  const progress = new Progress('lift', 'rows');
  for (;;) {
    const lift = await readWithRetries<LiftBody>(api, liftPath(id), `The lift ${id}`);
    const doneBy = DONE[lift.status];
    if (!doneBy) {
      progress.end();
      return lift;
    }
    progress.show(...doneBy(lift));
    await delay(POLL_MS, undefined, { signal: stopping.signal });
  }
}

const SHOWN_GROUPS = 10;
const SHOWN_EXAMPLES = 5;

/** A lift for a person who decides about it. */
export function previewOf(lift: LiftBody): string {
  const { count, by_domain, by_diagnostic, examples } = lift;
  const sections = [fieldLines(factsOf(lift)).join('\n')];
  if (count > 0) {
    sections.push(
      groupsTable(
        'DIAGNOSTIC',
        by_diagnostic.map(({ diagnostic, count: lines }) => [diagnostic ?? '-', lines]),
      ),
      groupsTable(
        'DOMAIN',
        by_domain.map(({ domain, count: lines }) => [domain, lines]),
      ),
      table(examples.slice(0, SHOWN_EXAMPLES).map(toLineRow), terminalColumns()),
    );
  }
  return sections.filter(Boolean).join('\n\n');
}

export function toLineRow({
  email,
  created_at,
  diagnostic,
  status,
  reason,
}: LineBody): Record<string, unknown> {
  return {
    ADDRESS: email,
    'RECORDED (UTC)': shortTime(created_at),
    STATUS: reason === null ? status : `${status}: ${reason}`,
    DIAGNOSTIC: diagnostic,
  };
}

/** The conditions of a lift in one line. */
export function conditionsOf(lift: LiftBody): string {
  const { cause, created_after, created_before, domains, source, actor, diagnostic } = lift;
  return [
    cause,
    created_after && `after ${shortTime(created_after)}`,
    created_before && `before ${shortTime(created_before)}`,
    domains && `at ${domains.join(', ')}`,
    source && `source ${source}`,
    actor && `actor ${actor}`,
    diagnostic && `“${diagnostic}”`,
  ]
    .filter(Boolean)
    .join(', ');
}

function factsOf(lift: LiftBody): Record<string, unknown> {
  const { id, status, count, failed_again, delivered_before, applied, skipped, reverted, error } = lift;
  const isDone = applied + skipped > 0;
  return {
    lift: id,
    status: error ? `${status}. ${error.message}` : status,
    query: conditionsOf(lift),
    found: withCommas(count),
    ...(isDone && { applied: withCommas(applied), skipped: withCommas(skipped) }),
    ...(reverted > 0 && { reverted: withCommas(reverted) }),
    'failed again since': withCommas(failed_again),
    'delivered in the 30 days before': withCommas(delivered_before),
    ...(lift.expires_at && { 'apply until (UTC)': shortTime(lift.expires_at) }),
    ...(lift.revertible_until && { 'revert until (UTC)': shortTime(lift.revertible_until) }),
  };
}

function groupsTable(heading: string, groups: [key: string, count: number][]): string {
  const rows = groups
    .slice(0, SHOWN_GROUPS)
    .map(([key, count]) => ({ COUNT: withCommas(count), [heading]: key }));
  const rest = groups.length - rows.length;
  return groups.length === 0
    ? ''
    : `${table(rows, terminalColumns())}${rest > 0 ? `\n… and ${rest} more` : ''}`;
}
