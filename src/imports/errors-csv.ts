import { csvField, csvRow } from '../files/csv-text.js';
import type { StoredError } from './imports.repository.js';

/** @param field - writes a value, which is any text that a file can have */
export async function* toErrorsCsv(
  pages: AsyncIterable<StoredError[]>,
  field = csvField,
): AsyncGenerator<string> {
  yield csvRow(['line', 'code', 'value']);
  for await (const errors of pages) {
    yield errors.map(({ line, code, value }) => `${line},${code},${field(value)}\r\n`).join('');
  }
}
