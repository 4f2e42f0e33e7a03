import { minuteOf } from '../../components/content.js';
import { CAUSE_NAMES, listOf, quote } from '../../components/words.js';
import type { LiftQuery, LineReason, LineStatus } from '../../../lifts/lift.js';
import type { LiftStatus } from '../../../lifts/lift.entity.js';
import type { Choices } from '../../components/inputs.js';

export const STATUS_NAMES: Readonly<Record<LiftStatus, string>> = {
  counting: 'counting',
  ready: 'not applied yet',
  applying: 'lifting',
  applied: 'lifted',
  reverting: 'putting back',
  reverted: 'put back',
  expired: 'expired',
};

const TONES: Readonly<Partial<Record<LiftStatus, string>>> = {
  counting: 'warn',
  ready: 'warn',
  applying: 'warn',
  reverting: 'warn',
  applied: 'good',
};

export const LINE_STATUS_NAMES: Readonly<Record<LineStatus, string>> = {
  planned: 'To be lifted',
  applied: 'Lifted',
  skipped: 'Skipped',
  reverted: 'Put back',
};

export const REASON_NAMES: Readonly<Record<LineReason, string>> = {
  absent: 'the suppression was gone',
  changed: 'the suppression had changed',
  failed_again: 'the address bounced again',
  listed: 'suppressed again meanwhile',
  removed: 'removed by somebody later',
  erased: 'the address was erased',
  expired: 'would have expired',
};

export function toneOf(status: LiftStatus): string {
  return TONES[status] ?? 'plain';
}

/** Whether a job works on the lift. */
export function isUnderWay(status: LiftStatus): boolean {
  return ['counting', 'applying', 'reverting'].includes(status);
}

/** `Bounce; from 15 Jan 2026, 06:00 UTC; by API key: import script` */
export function conditionsText(
  { cause, createdFrom, createdBefore, ...query }: LiftQuery,
  recorders: Choices,
): string {
  const nameOf = (id: string | undefined) => id && `by ${recorders[id] ?? id}`;
  return [
    CAUSE_NAMES[cause],
    createdFrom !== undefined && `from ${minuteOf(new Date(createdFrom))}`,
    createdBefore !== undefined && `before ${minuteOf(new Date(createdBefore))}`,
    query.domains && `at ${listOf(query.domains)}`,
    nameOf(query.source),
    nameOf(query.actor),
    query.diagnostic && `with ${quote(query.diagnostic)}`,
  ]
    .filter(Boolean)
    .join('; ');
}
