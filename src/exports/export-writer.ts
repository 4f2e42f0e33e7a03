import type { ExportedSuppression } from './exported-suppression.js';

export interface ExportWriter {
  contentType: string;
  extension: string;
  header: string;
  needsNotes?: boolean;
  write(record: ExportedSuppression): string;
}
