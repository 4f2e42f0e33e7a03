/** The progress of a replica with work that may take minutes. */
export interface Progress {
  /**
   * `downloading`: the list is read from the service. `rewriting`: a copy on disk is written again, because an address was erased.
   * `indexing`: a copy on disk is read, to answer quickly.
   */
  step: 'downloading' | 'rewriting' | 'indexing';
  /** The number of suppressions and preferences that were read. */
  rows: number;
}

export type OnProgress = (progress: Progress) => void;
