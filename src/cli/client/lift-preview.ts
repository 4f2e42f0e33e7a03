import type { LiftLineDto } from '../../lifts/dto/lift-line.dto.js';
import type { LiftDto } from '../../lifts/dto/lift.dto.js';
import { EXIT_CODE } from '../../process/operator-error.js';
import { commandLine } from '../options.js';
import { fieldLines, table, terminalColumns } from '../output.js';
import type { Api } from './api.js';
import { watchJob } from './reads.js';
import { shortTime, withCommas } from './text.js';

/** How many lines a step has done, by the status of the lift during the step. */
const DONE: Readonly<Record<string, (lift: LiftDto) => [done: number, total: number | null]>> = {
  counting: ({ count }) => [count, null],
  applying: ({ applied, skipped, count }) => [applied + skipped, count],
  reverting: ({ reverted, applied }) => [reverted, applied],
};

export function liftPath(id: string): string {
  return `/lifts/${encodeURIComponent(id)}`;
}

/** Waits until the current step has ended. If it stopped before its end, the command fails, but still prints what was done. */
export async function watchLift(api: Api, id: string): Promise<LiftDto> {
  const lift = await watchJob<LiftDto>(api, {
    path: liftPath(id),
    subject: `The lift ${id}`,
    hint: `To see how far it is: ${commandLine('lift', 'show', id)}`,
    title: 'lift',
    isRunning: ({ status }) => Object.hasOwn(DONE, status),
    progressOf: (running) => DONE[running.status]?.(running),
  });
  if (lift.error) {
    process.exitCode = EXIT_CODE.failed;
  }
  return lift;
}

const SHOWN_GROUPS = 10;
const SHOWN_EXAMPLES = 5;

/** Describes a lift to the person who decides about it. */
export function previewOf(lift: LiftDto): string {
  const { id, count, by_domain, by_diagnostic, examples } = lift;
  const lines = examples.slice(0, SHOWN_EXAMPLES).map(toLineRow);
  return [
    fieldLines(factsOf(lift)).join('\n'),
    groupsTable(
      'DIAGNOSTIC',
      by_diagnostic.map((group) => [group.diagnostic ?? '-', group.count]),
    ),
    groupsTable(
      'DOMAIN',
      by_domain.map((group) => [group.domain, group.count]),
    ),
    partOfTable(lines, count - lines.length, `: ${commandLine('lift', 'lines', id)}`),
  ]
    .filter(Boolean)
    .join('\n\n');
}

export function toLineRow({
  email,
  created_at,
  diagnostic,
  status,
  reason,
}: LiftLineDto): Record<string, unknown> {
  return {
    ADDRESS: email,
    'RECORDED (UTC)': shortTime(created_at),
    STATUS: reason === null ? status : `${status}: ${reason}`,
    DIAGNOSTIC: diagnostic,
  };
}

/** The conditions of a lift in one line. */
export function conditionsOf(lift: LiftDto): string {
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

function factsOf(lift: LiftDto): Record<string, unknown> {
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
  return partOfTable(rows, groups.length - rows.length);
}

function partOfTable(rows: Record<string, unknown>[], rest: number, hint = ''): string {
  if (rows.length === 0) {
    return '';
  }
  return `${table(rows, terminalColumns())}${rest > 0 ? `\n… and ${withCommas(rest)} more${hint}` : ''}`;
}
