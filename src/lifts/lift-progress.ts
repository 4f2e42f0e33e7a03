/** What a lift has done so far: the checkpoint of its job. */
export interface LiftProgress {
  count: CountProgress;
  apply?: ApplyProgress;
  revert?: RevertProgress;
}

export interface CountProgress {
  /** The last ledger line that was read. */
  position?: string;
  /** The number of the last line. An address that was found again has none. */
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
