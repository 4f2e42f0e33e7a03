/** The progress of a replica with work that may take minutes. */
export interface Progress {
  /** `downloading`: the list is read from the service. `indexing`: a copy on disk is read, to answer quickly. */
  step: 'downloading' | 'indexing';
  /** The number of suppressions and preferences that were read. */
  rows: number;
}

export type OnProgress = (progress: Progress) => void;
