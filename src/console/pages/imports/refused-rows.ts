import type { StoredError } from '../../../imports/imports.repository.js';

const SHOWN_GROUPS = 20;
const SHOWN_LINES = 5;

/** Rows that could not be read for the same reason, since they have the same value. */
export interface RefusedRows {
  code: string;
  value: string;
  /** `3, 7 and 12 more` */
  lines: string;
}

/** The first refused rows of a file, with those that are alike together. */
export function groupRefused(errors: readonly StoredError[]): RefusedRows[] {
  const groups = new Map<string, StoredError[]>();
  for (const error of errors) {
    const key = JSON.stringify([error.code, error.value]);
    groups.set(key, [...(groups.get(key) ?? []), error]);
  }
  return [...groups.values()].slice(0, SHOWN_GROUPS).map((alike) => {
    const { code, value } = alike[0]!;
    return { code, value, lines: linesOf(alike) };
  });
}

function linesOf(errors: readonly StoredError[]): string {
  const lines = [...new Set(errors.map(({ line }) => line))];
  const shown = lines.slice(0, SHOWN_LINES).join(', ');
  return lines.length > SHOWN_LINES ? `${shown} and ${lines.length - SHOWN_LINES} more` : shown;
}
