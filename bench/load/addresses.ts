import { FIRST_ABSENT, FIRST_NEW, emailOf } from '../records.js';

/** Addresses of the load process's life: what was added once is never new again. */
let nextNew = FIRST_NEW;

/** Different addresses, half of them on the list, in turns. */
export function halfPresent(rows: number, count: number): string[] {
  return present(rows, count / 2).flatMap((email) => [email, emailOf(absent())]);
}

/** Different addresses that are all on the list, from all over it. */
function present(rows: number, count: number): string[] {
  const first = below(rows);
  const stride = Math.floor(rows / count);
  return Array.from({ length: count }, (_, index) => emailOf((first + index * stride) % rows));
}

/** Different addresses that were added by hand, from all over the list. */
export function settled(rows: number, count: number): string[] {
  const tens = Math.floor(rows / 10);
  const first = below(tens);
  const stride = Math.floor(tens / count);
  return Array.from({ length: count }, (_, index) => emailOf(10 * ((first + index * stride) % tens)));
}

/** Addresses that nobody has added yet. */
export function fresh(count: number): string[] {
  return Array.from({ length: count }, () => emailOf(nextNew++));
}

/** A random number that no record has. */
export function absent(): number {
  return FIRST_ABSENT + below(FIRST_NEW - FIRST_ABSENT);
}

/** A random whole number from 0 up to and without the limit. */
export function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}
