import { parseEnv } from 'node:util';

/** Shorter names are close to too many others. */
const MIN_LENGTH = 8;
const MAX_EDITS = 2;
const WITHOUT_EQUALS_SIGN = /^[ \t]*(?:export[ \t]+)?(\w+)(?:[ \t:][^=\r\n]*)?\r?$/gm;

/**
 * Looks for mistakes in a file `.env`: names that are nearly those of settings, and settings without an equals sign. Other names
 * may be for other programs.
 *
 * @param text - of the file
 * @param settings - the names of all settings
 * @returns a line for each mistake
 */
export function findMisspelt(text: string, settings: readonly string[]): string[] {
  const misspelt = Object.keys(parseEnv(text))
    .filter((name) => name.length >= MIN_LENGTH && !settings.includes(name))
    .flatMap((name) => {
      const meant = settings.find((setting) => editsBetween(name, setting) <= MAX_EDITS);
      return meant === undefined ? [] : [`  ${name}: is unknown. Did you mean ${meant}?`];
    });
  const unassigned = [...text.matchAll(WITHOUT_EQUALS_SIGN)]
    .filter(([, name]) => settings.includes(name!))
    .map(([, name]) => `  ${name}: has no value. Write it as ${name}=…`);
  return [...misspelt, ...unassigned];
}

/** Levenshtein distance, in which swapped neighbours are one edit. */
function editsBetween(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        rows[row - 1]![column]! + 1,
        current[column - 1]! + 1,
        rows[row - 1]![column - 1]! + Number(!isSame),
        isSwapped ? rows[row - 2]![column - 2]! + 1 : Infinity,
      );
    }
    rows.push(current);
  }
  return rows.at(-1)!.at(-1)!;
}
