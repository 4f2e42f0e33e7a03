import type { CsvRow } from '../files/csv-rows.js';
import type { CheckedEmail } from '../suppressions/checks/checked-email.js';
import type { Verdict } from '../suppressions/verdict.js';
import { append, isBlank, isRecipient, type RecipientFile } from './recipient-file.js';

export type VerdictCounts = Record<Verdict, number>;

/** Consecutive rows of a file. */
export interface CheckedRows {
  rows: CsvRow[];
  checked: CheckedEmail[];
}

type WriteRow = (row: CsvRow, checked: CheckedEmail | null, file: RecipientFile) => string;

/** Keeps a row, byte for byte, or leaves it out. */
export const filterRow: WriteRow = (row, checked) =>
  checked === null || checked.verdict === 'send' ? row.raw : '';

/** The columns of {@link annotateRow}. */
export const ADDED_COLUMNS = ['verdict', 'cause'];

/** Appends the verdict and its cause. */
export const annotateRow: WriteRow = (row, checked, file) => {
  if (checked === null) {
    return isBlank(row) ? row.raw : append(row, file, ADDED_COLUMNS);
  }
  const [decided] = checked.verdict === 'suppressed' ? checked.matches : [];
  const cause = decided?.type === 'suppression' ? decided.cause : (decided?.type ?? '');
  return append(row, file, [checked.verdict, cause]);
};

/** @param counts - where the verdicts are added */
export function toBytes(
  { rows, checked }: CheckedRows,
  file: RecipientFile,
  counts: VerdictCounts,
  write: WriteRow,
): Buffer {
  const results = checked.values();
  const text = rows.map((row) => {
    const result = isRecipient(row, file) ? results.next().value! : null;
    if (result) {
      counts[result.verdict]++;
    }
    return write(row, result, file);
  });
  return Buffer.from(text.join(''), 'latin1');
}
