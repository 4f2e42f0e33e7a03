import { csvRow } from '../files/csv-text.js';
import type { StoredError } from './imports.repository.js';

export async function* toErrorsCsv(pages: AsyncIterable<StoredError[]>): AsyncGenerator<string> {
  yield csvRow(['line', 'code', 'value']);
  for await (const errors of pages) {
    yield errors.map(({ line, code, value }) => csvRow([line, code, value])).join('');
  }
}
