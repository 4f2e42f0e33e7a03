import { closestMatch } from 'leven';
import { parseEnv } from 'node:util';

/** Shorter names are a few edits away from too many others. */
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
    .filter((name) => !settings.includes(name))
    .flatMap((name) => {
      const meant =
        settings.find((setting) => lettersOf(setting) === lettersOf(name)) ?? similar(name, settings);
      return meant === undefined ? [] : [`  ${name}: is unknown. Did you mean ${meant}?`];
    });
  const unassigned = [...text.matchAll(WITHOUT_EQUALS_SIGN)]
    .filter(([, name]) => settings.includes(name!))
    .map(([, name]) => `  ${name}: has no value. Write it as ${name}=…`);
  return [...misspelt, ...unassigned];
}

function similar(name: string, settings: readonly string[]): string | undefined {
  return name.length < MIN_LENGTH ? undefined : closestMatch(name, settings, { maxDistance: MAX_EDITS });
}

/** Equal for names that differ in the order of their letters, in case, or in underscores. */
function lettersOf(name: string): string {
  return [...name.toUpperCase().replaceAll('_', '')].sort().join('');
}
