import { clip } from './address-text.js';

/** A header field, or a field of a report part, which has the same syntax (RFC 5322, section 2.2). */
export interface Field {
  /** In lower case. */
  name: string;
  /** Unfolded, without white space around it. */
  value: string;
}

const MAX_FIELDS = 20_000;
const MAX_VALUE_LENGTH = 4_000;
const MAX_NAME_LENGTH = 77;
const FIELD_NAME = /^[!-9;-~]+$/;

/** Reads groups of fields that blank lines separate (RFC 3464, section 2.1). Folds may lack their white space. */
export function readFieldGroups(text: string): Field[][] {
  const groups: Field[][] = [];
  let group: Field[] = [];
  let count = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') {
      if (group.length > 0) {
        groups.push(group);
        group = [];
      }
      continue;
    }
    const field = /^\s/.test(line) ? undefined : readField(line);
    const last = group.at(-1);
    if (field) {
      count += 1;
      if (count > MAX_FIELDS) {
        break;
      }
      group.push(field);
    } else if (last && last.value.length < MAX_VALUE_LENGTH) {
      last.value = clip(`${last.value} ${line.trim()}`.trim(), MAX_VALUE_LENGTH);
    }
  }
  return group.length > 0 ? [...groups, group] : groups;
}

/** The first value of each field by its name. */
export function byName(fields: Field[]): Map<string, string> {
  const map = new Map<string, string>();
  for (const { name, value } of fields) {
    if (!map.has(name)) {
      map.set(name, value);
    }
  }
  return map;
}

function readField(line: string): Field | undefined {
  const colon = line.slice(0, MAX_NAME_LENGTH + 1).indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trimEnd();
  return FIELD_NAME.test(name)
    ? { name: name.toLowerCase(), value: clip(line.slice(colon + 1).trim(), MAX_VALUE_LENGTH) }
    : undefined;
}
