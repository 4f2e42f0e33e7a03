import type { StoredError } from '../../../imports/imports.repository.js';

const SHOWN_GROUPS = 20;
const SHOWN_LINES = 5;

/** Rows that could not be read for the same reason, since they have the same value. */
export interface AlikeRows {
  code: string;
  value: string;
  /** `3, 7 and 12 more`, or `3, 7 and more` if not all are known */
  lines: string;
}

export interface RefusedRows {
  groups: AlikeRows[];
  /** Whether these are all refused rows of the file. */
  areAll: boolean;
}

/**
 * Groups the first refused rows of a file by their problem and value.
 *
 * @param total - how many rows of the file were refused
 */
export function groupRefused(errors: readonly StoredError[], total: number): RefusedRows {
  const groups = new Map<string, StoredError[]>();
  for (const error of errors) {
    const key = JSON.stringify([error.code, error.value]);
    groups.set(key, [...(groups.get(key) ?? []), error]);
  }
  const areKnown = errors.length === total;
  const shown = [...groups.values()].slice(0, SHOWN_GROUPS).map((alike) => {
    const { code, value } = alike[0]!;
    return { code, value, lines: linesOf(alike, areKnown) };
  });
  return { groups: shown, areAll: areKnown && groups.size <= SHOWN_GROUPS };
}

function linesOf(errors: readonly StoredError[], areKnown: boolean): string {
  const lines = [...new Set(errors.map(({ line }) => line))];
  const shown = lines.slice(0, SHOWN_LINES).join(', ');
  const more = areKnown ? `${lines.length - SHOWN_LINES} more` : 'more';
  return lines.length > SHOWN_LINES ? `${shown} and ${more}` : shown;
}
