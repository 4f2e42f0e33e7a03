import type { Actor } from '../ledger/actor.js';
import type { SkipReason } from './formats/format.js';

/** How far an import was taken back. */
export interface RevertProgress {
  /** Whoever asked for it. */
  by: Actor;
  /** The addresses that were taken back. */
  reverted: number;
  /** When the import ended, in ISO 8601. */
  endedAt: string;
  /** The last line of the ledger that was looked at. */
  position?: string;
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

/** What is known of some rows before they are applied. */
export type ReadCounts = Pick<ImportProgress, 'rows' | 'skipped' | 'invalid'>;

/** What some rows changed, in addresses, and how many of them were older than a removal. */
export interface Written {
  added: number;
  strengthened: number;
  removedSince: number;
}

export const NO_PROGRESS: ImportProgress = {
  rows: 0,
  added: 0,
  strengthened: 0,
  unchanged: 0,
  skipped: {},
  invalid: 0,
};

/**
 * @param read - what is known of a chunk before it is written
 * @returns the progress after the chunk: rows that were neither refused nor left out, and changed nothing, are unchanged
 */
export function sum(
  before: ImportProgress,
  read: ReadCounts,
  { added, strengthened, removedSince }: Written,
): ImportProgress {
  const skipped = { ...before.skipped };
  const reasons = { ...read.skipped, ...(removedSince > 0 && { removed_since: removedSince }) };
  let left = read.rows - read.invalid - added - strengthened;
  for (const [reason, count] of Object.entries(reasons) as [SkipReason, number][]) {
    skipped[reason] = (skipped[reason] ?? 0) + count;
    left -= count;
  }
  return {
    rows: before.rows + read.rows,
    added: before.added + added,
    strengthened: before.strengthened + strengthened,
    unchanged: before.unchanged + left,
    skipped,
    invalid: before.invalid + read.invalid,
  };
}
