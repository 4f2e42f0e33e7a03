import { JobFailedError } from '../jobs/errors.js';
import { DATE_FORMATS } from './dates/date-format.js';
import type { RowError } from './formats/format.js';
import type { CountedError } from './imports.repository.js';

const ADVICE: Record<RowError, string> = {
  invalid_email: 'If the addresses are in another column, name the columns (mapping).',
  unknown_cause:
    'Name the columns without one for the cause (mapping), and the cause of all rows (default_cause).',
  invalid_date:
    'Dates are read in the date_format, if there is one, or as Unix seconds, ISO 8601, or RFC 2822.',
  ambiguous_date: `Name the form of the dates (date_format): ${DATE_FORMATS.join(', ')}.`,
  malformed_row: 'A row must have as many fields as the first line, and end in LF or CRLF.',
};

/**
 * The failure of an import in which no row is valid: it imported nothing, so `completed` would mislead.
 *
 * @param mostFrequent - the most frequent error among those that are stored
 */
export function noValidRow(rows: number, { code, line }: CountedError): JobFailedError {
  const count = rows === 1 ? 'The only row is' : `All ${rows.toLocaleString('en')} rows are`;
  const problem = `${count} invalid. The most frequent error is ${code}, first in line ${line}.`;
  return new JobFailedError('no_valid_row', `${problem} ${ADVICE[code]}`, line);
}
