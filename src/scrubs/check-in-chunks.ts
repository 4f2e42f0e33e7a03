import { parseMailbox } from '../email-address/mailbox.js';
import type { CsvRow } from '../files/csv-rows.js';
import type { CheckedEmail, RequestedEmail } from '../suppressions/checks/checked-email.js';
import type { CheckedRows } from './checked-rows.js';
import { addressInRow, isRecipient, type RecipientFile } from './recipient-file.js';

/** With 1,000, rows outlive the young generation while they wait for the database, and the service holds 140 MiB more. */
const CHUNK_ROWS = 750;
/** Rows may be a thousand times as long as usual ones. */
const CHUNK_LENGTH = 1024 * 1024;

type Check = (requested: RequestedEmail[]) => Promise<CheckedEmail[]>;

/** Checks the rows of a file in their order, a chunk while the one before is passed on. */
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
