import type { Actor } from '../ledger/actor.js';
import type { SkipReason } from './formats/format.js';

/** How far an import was taken back. */
export interface RevertProgress {
  /** Whoever asked for it. */
  by: Actor;
  /** The addresses that were taken back. */
  reverted: number;
  /** The last line of the ledger that was looked at, and one behind the last that the import wrote. */
  range?: { position: string; end: string };
}

/** What an import has done so far: its checkpoint. `rows` is the sum of all others. */
export interface ImportProgress {
  rows: number;
  added: number;
  strengthened: number;
  unchanged: number;
  skipped: Partial<Record<SkipReason, number>>;
  invalid: number;
  revert?: RevertProgress;
}

export const NO_PROGRESS: ImportProgress = {
  rows: 0,
  added: 0,
  strengthened: 0,
  unchanged: 0,
  skipped: {},
  invalid: 0,
};

export function sum(progress: ImportProgress, more: ImportProgress): ImportProgress {
  const skipped = { ...progress.skipped };
  for (const [reason, count] of Object.entries(more.skipped) as [SkipReason, number][]) {
    skipped[reason] = (skipped[reason] ?? 0) + count;
  }
  return {
    rows: progress.rows + more.rows,
    added: progress.added + more.added,
    strengthened: progress.strengthened + more.strengthened,
    unchanged: progress.unchanged + more.unchanged,
    skipped,
    invalid: progress.invalid + more.invalid,
  };
}
