import { parseMailbox } from '../email-address/mailbox.js';
import type { CsvRow } from '../files/csv-rows.js';
import type { CheckedEmail, RequestedEmail } from '../suppressions/checks/check.service.js';
import type { Verdict } from '../suppressions/verdict.js';
import { Invalid } from '../validation/parsers.js';
import { NoValidAddressError } from './errors.js';
import { addColumns, addressInRow, isBlank, isRecipient, type RecipientFile } from './recipient-file.js';

export type VerdictCounts = Record<Verdict, number>;

/** Consecutive rows of a file, with the results of their check. */
interface CheckedRows {
  rows: CsvRow[];
  checked: CheckedEmail[];
}

type WriteRow = (row: CsvRow, checked: CheckedEmail | null, file: RecipientFile) => string;

/** Keeps a row byte for byte, or omits it. */
export const filterRow: WriteRow = (row, checked) =>
  checked === null || checked.verdict === 'send' ? row.raw : '';

/** The columns of {@link annotateRow}. */
export const ADDED_COLUMNS = ['verdict', 'cause'];

/** Adds the verdict and its cause to a row. */
export const annotateRow: WriteRow = (row, checked, file) => {
  if (checked === null) {
    return isBlank(row) ? row.raw : addColumns(row, file, ADDED_COLUMNS);
  }
  const [decided] = checked.verdict === 'suppressed' ? checked.matches : [];
  const cause = decided?.type === 'suppression' ? decided.cause : (decided?.type ?? '');
  return addColumns(row, file, [checked.verdict, cause]);
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

/**
 * With 1,000 rows, the rows outlive the young generation while they wait for the database, and the service uses 140 MiB more.
 */
const CHUNK_ROWS = 750;
/** Rows may be a thousand times as long as usual ones. */
const CHUNK_LENGTH = 1024 * 1024;

type Check = (requested: RequestedEmail[]) => Promise<CheckedEmail[]>;

/** Checks the rows of a file in order. A chunk is checked while the previous one is passed on. */
export async function* checkInChunks(
  texts: AsyncIterable<string>,
  recipients: RecipientFile,
  check: Check,
): AsyncGenerator<CheckedRows> {
  let previous: Promise<CheckedRows> | undefined;
  try {
    for await (const rows of chunksOf(texts, recipients)) {
      const next = checkRows(rows, recipients, check);
      next.catch(() => undefined);
      if (previous) {
        yield await previous;
      }
      previous = next;
    }
    if (previous) {
      yield await previous;
    }
  } finally {
    await previous?.catch(() => undefined);
  }
}

async function checkRows(rows: CsvRow[], recipients: RecipientFile, check: Check): Promise<CheckedRows> {
  const requested = rows
    .filter((row) => isRecipient(row, recipients))
    .map((row) => addressInRow(row, recipients))
    .map((text) => ({ text, address: parseMailbox(text) }));
  return { rows, checked: await check(requested) };
}

async function* chunksOf(texts: AsyncIterable<string>, { rows }: RecipientFile): AsyncGenerator<CsvRow[]> {
  let chunk: CsvRow[] = [];
  let length = 0;
  for await (const text of texts) {
    for (const row of rows.read(text)) {
      length += row.raw.length;
      if (chunk.push(row) === CHUNK_ROWS || length >= CHUNK_LENGTH) {
        yield chunk;
        chunk = [];
        length = 0;
      }
    }
  }
  chunk.push(...rows.end());
  if (chunk.length > 0) {
    yield chunk;
  }
}

/** The most chunks that wait for the first valid address. After that, an error cuts the connection. */
const MAX_WAITING = 10;
const MAX_PROBLEMS = 3;

/**
 * Passes on the rows of a file, but none before the first valid address. Otherwise, all rows of a file whose addresses are in
 * another column would be dropped.
 *
 * @throws {NoValidAddressError} at the end, if the file has rows and none of their addresses is valid
 */
export async function* requireValidAddress(
  chunks: AsyncIterable<CheckedRows>,
  file: RecipientFile,
): AsyncGenerator<CheckedRows> {
  const waiting: CheckedRows[] = [];
  const invalid: CsvRow[] = [];
  let isFound = false;
  for await (const chunk of chunks) {
    isFound ||= chunk.checked.some(({ verdict }) => verdict !== 'invalid');
    waiting.push(chunk);
    if (!isFound) {
      const recipients = chunk.rows.filter((row) => isRecipient(row, file));
      invalid.push(...recipients.slice(0, MAX_PROBLEMS - invalid.length));
    }
    if (isFound || waiting.length === MAX_WAITING) {
      yield* waiting.splice(0);
    }
  }
  if (!isFound && invalid.length > 0) {
    const problems = invalid.map((row) => `Line ${row.line}: ${problemOf(row, file)}.`);
    const mayHaveOtherColumn = file.headerLine !== null && !invalid.some((row) => row.mayHideRows);
    throw new NoValidAddressError(problems, mayHaveOtherColumn);
  }
  yield* waiting;
}

function problemOf(row: CsvRow, file: RecipientFile): string {
  if (row.mayHideRows) {
    return 'the line contains a CR without LF, which may hide other rows. Save the file with lines that end in LF or CRLF';
  }
  const text = addressInRow(row, file);
  const parsed = parseMailbox(text);
  return text !== '' && parsed instanceof Invalid ? `the address ${parsed.problem}` : 'there is no address';
}
