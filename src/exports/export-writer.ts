import type { ExportedSuppression } from './exported-suppression.js';

/** How records are written. */
export interface ExportWriter {
  contentType: string;
  extension: string;
  header: string;
  /** Whether the note of each record is needed. */
  hasNotes?: boolean;
  write(record: ExportedSuppression): string;
}
