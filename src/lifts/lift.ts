import type { Cause } from '../ledger/cause.js';

/** The causes that a lift may end. A complaint or an unsubscribe comes from the recipient. */
export const LIFTED_CAUSES = ['bounce', 'manual'] as const satisfies readonly Cause[];

export type LiftedCause = (typeof LIFTED_CAUSES)[number];

/** The suppressions that a lift looks for, by how their cause was recorded. Absent conditions match all. */
export interface LiftQuery {
  cause: LiftedCause;
  /** When the change was recorded, in milliseconds since 1970: from the first (inclusive) to the second (exclusive). */
  createdFrom?: number | undefined;
  createdBefore?: number | undefined;
  /** Domains in ASCII. */
  domains?: string[] | undefined;
  /** The id of the source that reported the cause. */
  source?: string | undefined;
  /** The id of the API key, person, import, or source that recorded the cause. */
  actor?: string | undefined;
  /** A part of the server's reply, or of the note of the change; letter case does not matter. */
  diagnostic?: string | undefined;
}

/** The conditions by their names in the API; null where absent. */
export function namesOf({ cause, createdFrom, createdBefore, ...rest }: LiftQuery) {
  const { domains = null, source = null, actor = null, diagnostic = null } = rest;
  return {
    cause,
    created_after: createdFrom === undefined ? null : new Date(createdFrom - 1).toISOString(),
    created_before: createdBefore === undefined ? null : new Date(createdBefore).toISOString(),
    domains,
    source,
    actor,
    diagnostic,
  };
}

export const LINE_STATUSES = ['planned', 'applied', 'skipped', 'reverted'] as const;

export type LineStatus = (typeof LINE_STATUSES)[number];

/** Why a line was skipped, or not restored. */
export type LineReason = 'absent' | 'changed' | 'failed_again' | 'listed' | 'removed' | 'expired' | 'erased';

/** What a lift has done so far: the checkpoint of its job. */
export interface LiftProgress {
  count: CountProgress;
  apply?: ApplyProgress;
  revert?: RevertProgress;
}

export interface CountProgress {
  /** The last ledger line that was read. */
  position?: string;
  /** The number of the last line. Addresses that are found again get no number. */
  lastNumber: number;
  lines: number;
  failedAgain: number;
  deliveredBefore: number;
}

export interface ApplyProgress {
  /** The number of the last line. */
  line: number;
  applied: number;
  skipped: number;
}

export interface RevertProgress {
  line: number;
  reverted: number;
}

export const NO_PROGRESS: LiftProgress = {
  count: { lastNumber: 0, lines: 0, failedAgain: 0, deliveredBefore: 0 },
};

/** `Lift of 2026-01-15 09:30 UTC` */
export function titleOf({ createdAt }: { createdAt: Date }): string {
  return `Lift of ${createdAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
