import type { JsonShape } from '../../files/json-items.js';
import { UTC_DATES, type DateOptions } from '../dates/dates.js';
import type { Mapping } from './format.js';

/** How a file is read, decided once by its beginning. It is stored with the import. */
export interface Plan {
  format: string;
  mapping: Mapping | null;
  shape: CsvShape | { json: JsonShape };
  /** Absent in imports that were created before this option. */
  dates?: DateOptions;
}

export interface CsvShape {
  /** A line break if a line is one address. */
  delimiter: string;
  hasHeader: boolean;
  /** In the form of `foldName`, by position. */
  columns: string[];
}

/** What the caller specifies about a file. */
export interface Hints {
  format?: string;
  /** Column names as they stand in the file, by field. */
  mapping?: { email: string; cause?: string; created_at?: string };
  filename?: string;
  dates?: DateOptions;
}

export function datesOf({ dates = UTC_DATES }: Pick<Plan, 'dates'>): DateOptions {
  return dates;
}
