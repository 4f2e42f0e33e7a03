import { FIRST_ABSENT, FIRST_IN_FILES, emailOf } from '../records.js';

const CAUSES = ['bounce', 'bounce', 'bounce', 'complaint', 'unsubscribe'];
const START_MS = Date.UTC(2023, 0, 1);
const STEP_MS = 1_000;

let nextNew = FIRST_IN_FILES;

/** A list to import: a header, and rows whose addresses no file had before. */
export function importFile(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const createdAt = new Date(START_MS + index * STEP_MS).toISOString();
    return `${emailOf(nextNew++)},${CAUSES[index % CAUSES.length]},${createdAt}\n`;
  });
  return `email,cause,created_at\n${lines.join('')}`;
}

/** Every how many recipients of a campaign one is on the list. */
const LISTED_OF = 10;

/** The recipients of a campaign: a header, and rows of which a tenth are on the list. */
export function recipientFile(rows: number, listed: number): string {
  const stride = Math.max(1, Math.floor((listed * LISTED_OF) / rows));
  const lines = Array.from({ length: rows }, (_, index) => {
    const isListed = index % LISTED_OF === 0;
    const email = emailOf(isListed ? ((index / LISTED_OF) * stride) % listed : FIRST_ABSENT + index);
    return `${email},Customer ${index}\n`;
  });
  return `email,name\n${lines.join('')}`;
}

/** How many rows a scrub of {@link recipientFile} leaves. */
export function sendableIn(rows: number): number {
  return rows - Math.ceil(rows / LISTED_OF);
}
