import { parseMailbox } from '../email-address/mailbox.js';
import type { CsvRow } from '../files/csv-rows.js';
import { Invalid } from '../validation/invalid.js';
import type { CheckedRows } from './checked-rows.js';
import { NoValidAddressError } from './errors.js';
import { addressInRow, isRecipient, type RecipientFile } from './recipient-file.js';

/** Chunks that wait for the first valid address. After them, an error cuts the connection. */
const MAX_WAITING = 10;
const MAX_PROBLEMS = 3;

/**
 * Passes on the rows of a file, but none before one of them has a valid address. Without the others, nothing would be left of
 * a file whose addresses are in another column.
 *
 * @throws {NoValidAddressError} at the end, if the file has rows and none of their addresses is valid
 */
export async function* requireValidAddress(
  chunks: AsyncIterable<CheckedRows>,
  file: RecipientFile,
): AsyncGenerator<CheckedRows> {
  const waiting: CheckedRows[] = [];
  const problems: string[] = [];
  let isFound = false;
  for await (const chunk of chunks) {
    isFound ||= chunk.checked.some(({ verdict }) => verdict !== 'invalid');
    waiting.push(chunk);
    if (!isFound) {
      problems.push(...problemsOf(chunk, file, MAX_PROBLEMS - problems.length));
    }
    if (isFound || waiting.length === MAX_WAITING) {
      yield* waiting.splice(0);
    }
  }
  if (!isFound && problems.length > 0) {
    throw new NoValidAddressError(problems, file.headerLine !== null);
  }
  yield* waiting;
}

function problemsOf({ rows }: CheckedRows, file: RecipientFile, limit: number): string[] {
  return rows
    .filter((row) => isRecipient(row, file))
    .slice(0, limit)
    .map((row) => `Line ${row.line}: ${problemOf(row, file)}.`);
}

function problemOf(row: CsvRow, file: RecipientFile): string {
  if (row.mayHideRows) {
    return 'a CR outside quotation marks may hide other rows';
  }
  const text = addressInRow(row, file);
  const parsed = parseMailbox(text);
  return text !== '' && parsed instanceof Invalid ? `the address ${parsed.problem}` : 'there is no address';
}
