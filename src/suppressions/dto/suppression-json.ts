import { isoTimestampOf } from '../../database/iso-timestamp.js';
import { originOf } from '../../ledger/cause.js';
import { createdMsOf } from '../suppression-id.js';
import type { FoundSuppression } from '../suppression-lookup.js';

/** RFC 8259, section 7: control characters, the quotation mark and the backslash; and surrogates. */
const NEEDS_ESCAPING = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

export function writeString(text: string): string {
  return `"${escape(text)}"`;
}

function escape(text: string): string {
  return NEEDS_ESCAPING.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

/** About 20 KB of JSON. One string of 200 KB would be copied twice. */
const ELEMENTS_PER_PIECE = 100;

/** The elements of a JSON array, in pieces. */
export function writeElements<Element>(
  elements: readonly Element[],
  write: (element: Element) => string,
): string[] {
  const pieces: string[] = [];
  for (let first = 0; first < elements.length; first += ELEMENTS_PER_PIECE) {
    let piece = '';
    for (const element of elements.slice(first, first + ELEMENTS_PER_PIECE)) {
      piece += (first === 0 && piece === '' ? '' : ',') + write(element);
    }
    pieces.push(piece);
  }
  return pieces;
}

/** Writes the JSON of `SuppressionDto`. Only the address may need escaping. */
export function writeSuppression({ id, email, cause, emailId }: FoundSuppression): string {
  const origin = originOf(cause);
  const createdAt = isoTimestampOf(createdMsOf(id));
  const start = `{"object":"suppression","id":"${id}","email":"${escape(email)}","origin":"${origin}","source_id":`;
  return origin === 'manual' || emailId === null
    ? `${start}null,"created_at":"${createdAt}"}`
    : `${start}"${emailId}","created_at":"${createdAt}"}`;
}
