import type { JobStatus } from '../jobs/job.entity.js';
import type { ChangeActor } from '../ledger/evidence.js';
import type { RowError, SkipReason } from './formats/format.js';

/** The progress of the revert of an import. */
export interface RevertProgress {
  by: ChangeActor;
  reverted: number;
  /** When the import ended, in ISO 8601. */
  endedAt: string;
  /** The last ledger line that was read. */
  position?: string;
}

/** The number of rows with an error, and the first line that has it. */
export interface ErrorCount {
  rows: number;
  firstLine: number;
}

export type ErrorCounts = Partial<Record<RowError, ErrorCount>>;

/** What an import has done so far: its checkpoint. `rows` is the sum of all others. */
export interface ImportProgress {
  rows: number;
  added: number;
  strengthened: number;
  unchanged: number;
  skipped: Partial<Record<SkipReason, number>>;
  invalid: number;
  /** Their rows add up to `invalid`. Absent in imports from before errors were counted. */
  errors?: ErrorCounts;
  revert?: RevertProgress;
}

export type ReadCounts = Pick<ImportProgress, 'rows' | 'skipped' | 'invalid'> & { errors: ErrorCounts };

/** The numbers of addresses that a chunk changed, and of its rows that were older than a removal. */
export interface ChunkResult {
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
 * @param read - the counts of the chunk
 * @returns the progress after the chunk; rows that were neither invalid nor skipped, and changed nothing, are unchanged
 */
export function addChunk(
  before: ImportProgress,
  read: ReadCounts,
  { added, strengthened, removedSince }: ChunkResult,
): ImportProgress {
  const skipped = { ...before.skipped };
  const reasons = { ...read.skipped, ...(removedSince > 0 && { removed_since: removedSince }) };
  let unchanged = read.rows - read.invalid - added - strengthened;
  for (const [reason, count] of Object.entries(reasons) as [SkipReason, number][]) {
    skipped[reason] = (skipped[reason] ?? 0) + count;
    unchanged -= count;
  }
  return {
    rows: before.rows + read.rows,
    added: before.added + added,
    strengthened: before.strengthened + strengthened,
    unchanged: before.unchanged + unchanged,
    skipped,
    invalid: before.invalid + read.invalid,
    errors: addErrors(before.errors ?? {}, read.errors),
  };
}

function addErrors(before: ErrorCounts, read: ErrorCounts): ErrorCounts {
  const errors = { ...before };
  for (const [code, { rows, firstLine }] of Object.entries(read) as [RowError, ErrorCount][]) {
    const known = errors[code];
    errors[code] = known ? { ...known, rows: known.rows + rows } : { rows, firstLine };
  }
  return errors;
}

/** The number of addresses that an import changed and that its revert left unchanged. 0 until the import is reverted. */
export function keptByRevert({ status, progress }: { status: JobStatus; progress: ImportProgress }): number {
  const { added, strengthened, revert } = progress;
  return status === 'reverted' && revert ? Math.max(0, added + strengthened - revert.reverted) : 0;
}
