import { JobFailedError } from '../jobs/errors.js';
import { DATE_FORMATS } from './dates/date-format.js';
import type { RowError } from './formats/format.js';
import type { ErrorCount, ImportProgress } from './import-progress.js';

const ADVICE: Record<RowError, string> = {
  invalid_email: 'If the addresses are in another column, name the columns (mapping).',
  unknown_cause:
    'Name the columns without one for the cause (mapping), and the cause of all rows (default_cause).',
  invalid_date:
    'Dates are read in the date_format, if there is one, or as Unix seconds, RFC 2822, or with the year first.',
  ambiguous_date: `Name the form of the dates (date_format): ${DATE_FORMATS.join(', ')}.`,
  malformed_row: 'A row must have as many fields as the first line, and end in LF or CRLF.',
};

/**
 * Checks the progress of an import that has reached the end of its file.
 *
 * @throws {JobFailedError} if all rows that were to be imported are invalid, since `completed` would mislead
 */
export function requireValidRow({ rows, invalid, errors = {}, ...counts }: ImportProgress): void {
  const { added, strengthened, unchanged, skipped } = counts;
  const valid = added + strengthened + unchanged + (skipped.removed_since ?? 0);
  const [mostFrequent] = (Object.entries(errors) as [RowError, ErrorCount][]).sort(mostRowsFirst);
  if (valid > 0 || !mostFrequent) {
    return;
  }
  const [code, { firstLine }] = mostFrequent;
  const [only, all] =
    invalid < rows
      ? ['The only row that was not skipped', 'rows that were not skipped']
      : ['The only row', 'rows'];
  const subject = invalid === 1 ? `${only} is` : `All ${invalid.toLocaleString('en')} ${all} are`;
  const message = `${subject} invalid. The most frequent error is ${code}, first in line ${firstLine}. ${ADVICE[code]}`;
  throw new JobFailedError('no_valid_row', message, firstLine);
}

function mostRowsFirst([, one]: [RowError, ErrorCount], [, other]: [RowError, ErrorCount]): number {
  return other.rows - one.rows || one.firstLine - other.firstLine;
}
