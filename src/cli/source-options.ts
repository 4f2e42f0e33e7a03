import { InvalidArgumentError } from 'commander';
import { InvalidSourceError } from '../inbound/sources/errors.js';
import type { SoftLimit } from '../inbound/sources/source.entity.js';
import { readSecret, STANDARD_INPUT } from './input.js';

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
    throw new InvalidArgumentError('Use name=value, or name=- for standard input.');
  }
  return [...earlier, [name, secret]];
}

export function parseGroup(value: string, earlier: number[] = []): number[] {
  if (!/^\d{1,15}$/.test(value)) {
    throw new InvalidArgumentError('Use the number of a group or list.');
  }
  return [...earlier, Number(value)];
}

/** Reads `5/14d`: five failures within fourteen days. */
export function parseSoftLimit(value: string): SoftLimit {
  const [, failures, days] = /^([1-9]\d{0,3})\/([1-9]\d{0,2})d$/.exec(value) ?? [];
  if (!failures || !days) {
    throw new InvalidArgumentError('Use a number of failures and a number of days: 5/14d.');
  }
  return { failures: Number(failures), days: Number(days) };
}

/**
 * Returns secrets by name, and reads those that are given as `-`, since every user of the machine can see a command line.
 *
 * @throws {InvalidSourceError} when more than one is to be read
 */
export async function readSecrets(given: [name: string, value: string][]): Promise<Record<string, string>> {
  if (given.filter(([, value]) => value === STANDARD_INPUT).length > 1) {
    throw new InvalidSourceError('Only one secret can be read from standard input.');
  }
  const secrets = given.map(async ([name, value]) => [
    name,
    value === STANDARD_INPUT ? await readSecret(name) : value,
  ]);
  return Object.fromEntries(await Promise.all(secrets));
}
