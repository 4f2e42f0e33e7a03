const INTERVAL_MS = 1_000;

/** The progress of a replica with work that may take minutes. */
export interface Progress {
  /** `downloading`: the list is read from the service. `indexing`: a copy on disk is read, to answer quickly. */
  step: 'downloading' | 'indexing';
  /** The number of suppressions and preferences that were read. */
  rows: number;
}

export type OnProgress = (progress: Progress) => void;

/** Passes on at most one call a second. */
export function throttle(onProgress: OnProgress): OnProgress {
  let next = -Infinity;
  return (progress) => {
    const now = performance.now();
    if (now >= next) {
      next = now + INTERVAL_MS;
      onProgress(progress);
    }
  };
}
