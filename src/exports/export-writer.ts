import type { ExportedSuppression } from './exported-suppression.js';

export interface ExportWriter {
  contentType: string;
  extension: string;
  header: string;
  needsNotes?: boolean;
  /** Whether the file is of use only with addresses, so that erased ones are left out. */
  needsAddresses?: boolean;
  write(record: ExportedSuppression): string;
}
