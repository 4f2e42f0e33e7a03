import type { JsonShape } from '../../files/json-items.js';
import type { DateOptions } from '../dates/dates.js';
import type { Mapping } from './format.js';

/** How a file is read. It is stored with the import. */
export interface Plan extends Layout {
  dates: DateOptions;
}

/** What the beginning of a file decides. */
export interface Layout {
  format: string;
  mapping: Mapping | null;
  shape: CsvShape | { json: JsonShape };
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
}
