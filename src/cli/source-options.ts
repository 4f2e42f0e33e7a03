import { text } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import { InvalidSourceError } from '../inbound/sources/errors.js';
import type { SoftLimit } from '../inbound/sources/source.entity.js';

const STANDARD_INPUT = '-';

export function collect(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

/** Reads `name=value`; the value may have any characters. */
export function parseSecret(
  value: string,
  earlier: [name: string, value: string][] = [],
): [name: string, value: string][] {
  const [, name, secret] = /^([a-z_]+)=(.+)$/s.exec(value) ?? [];
  if (!name || !secret) {
    throw new InvalidArgumentError('It is written name=value, or name=- for the standard input.');
  }
  return [...earlier, [name, secret]];
}

export function parseGroup(value: string, earlier: number[] = []): number[] {
  if (!/^\d{1,15}$/.test(value)) {
    throw new InvalidArgumentError('It is the number of a group or list.');
  }
  return [...earlier, Number(value)];
}

/** Reads `5/14d`: five failures within fourteen days. */
export function parseSoftLimit(value: string): SoftLimit {
  const [, failures, days] = /^([1-9]\d{0,3})\/([1-9]\d{0,2})d$/.exec(value) ?? [];
  if (!failures || !days) {
    throw new InvalidArgumentError('It is a number of failures and a number of days: 5/14d.');
  }
  return { failures: Number(failures), days: Number(days) };
}

/**
 * The secrets by their names, with what the standard input has for the one that is there: a value on the command line
 * can be read by every user of the machine.
 *
 * @throws {InvalidSourceError} when two of them are
 */
export async function readSecrets(given: [name: string, value: string][]): Promise<Record<string, string>> {
  if (given.filter(([, value]) => value === STANDARD_INPUT).length > 1) {
    throw new InvalidSourceError('Only one secret can come from the standard input.');
  }
  const read = given.map(async ([name, value]) => [
    name,
    value === STANDARD_INPUT ? (await text(process.stdin)).trim() : value,
  ]);
  return Object.fromEntries(await Promise.all(read));
}
