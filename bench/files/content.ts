import { FIRST_ABSENT, FIRST_IN_FILES, emailOf } from '../records.js';

const CAUSES = ['bounce', 'bounce', 'bounce', 'complaint', 'unsubscribe'];
const START_MS = Date.UTC(2023, 0, 1);
const STEP_MS = 1_000;
const LINE_FEED = 0x0a;

let nextNew = FIRST_IN_FILES;

/** A list to import: a header, and rows with new addresses. */
export function importFile(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const createdAt = new Date(START_MS + index * STEP_MS).toISOString();
    return `${emailOf(nextNew++)},${CAUSES[index % CAUSES.length]},${createdAt}\n`;
  });
  return `email,cause,created_at\n${lines.join('')}`;
}

/** One in this many recipients is listed. */
const LISTED_OF = 10;

/** The recipients of a campaign: a header, and rows of which a tenth are listed. */
export function recipientFile(rows: number, listed: number): string {
  const stride = Math.max(1, Math.floor((listed * LISTED_OF) / rows));
  const lines = Array.from({ length: rows }, (_, index) => {
    const isListed = index % LISTED_OF === 0;
    const email = emailOf(isListed ? ((index / LISTED_OF) * stride) % listed : FIRST_ABSENT + index);
    return `${email},Customer ${index}\n`;
  });
  return `email,name\n${lines.join('')}`;
}

export async function countLines(file: AsyncIterable<Uint8Array>): Promise<number> {
  let lines = 0;
  for await (const piece of file) {
    for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) {
      lines++;
    }
  }
  return lines;
}
