import { FIRST_ABSENT, FIRST_NEW, emailOf } from '../records.js';

/** Each new address is used once in the life of the load process. */
let nextNew = FIRST_NEW;

/** Distinct addresses. Every other one is listed; the listed ones are spread over the list. */
export function halfPresent(rows: number, count: number): string[] {
  const first = below(rows);
  const stride = Math.floor((2 * rows) / count);
  const listed = (index: number) => (first + (index / 2) * stride) % rows;
  return Array.from({ length: count }, (_, index) => emailOf(index % 2 === 0 ? listed(index) : absent()));
}

/** Distinct addresses that were added by hand, spread over the list. */
export function addedByHand(rows: number, count: number): string[] {
  const tens = Math.floor(rows / 10);
  const first = below(tens);
  const stride = Math.floor(tens / count);
  return Array.from({ length: count }, (_, index) => emailOf(10 * ((first + index * stride) % tens)));
}

export function fresh(count: number): string[] {
  return Array.from({ length: count }, () => emailOf(nextNew++));
}

export function absent(): number {
  return FIRST_ABSENT + below(FIRST_NEW - FIRST_ABSENT);
}

/** A random whole number from 0 up to the limit, which is excluded. */
export function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}
