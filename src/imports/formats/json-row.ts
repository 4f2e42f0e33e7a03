import { foldName } from '../../files/columns.js';
import type { Row } from './format.js';

/** The keys of a list are the same for all of its entries. */
const foldedNames = new Map<string, string>();
const MAX_FOLDED_NAMES = 1_000;

/** An object of a JSON document as the row of a format. Anything else has no values. */
export function jsonRow(value: unknown): Row {
  const object = typeof value === 'object' && value !== null ? value : {};
  const byName = new Map(Object.entries(object).map(([key, field]) => [fold(key), field as unknown]));
  return { get: (name) => toText(byName.get(name)) };
}

function fold(key: string): string {
  const cached = foldedNames.get(key);
  if (cached !== undefined) {
    return cached;
  }
  const name = foldName(key);
  if (foldedNames.size < MAX_FOLDED_NAMES) {
    foldedNames.set(key, name);
  }
  return name;
}

/** The text that a CSV would have; arrays and objects stay JSON. */
function toText(value: unknown): string {
  if (value === undefined || value === null) {
    return '';
  }
  return typeof value === 'string' ? value.trim() : JSON.stringify(value);
}
