import { InvalidArgumentError, Option } from 'commander';
import { PROVIDERS, providersWith, SOURCE_OPTIONS } from '../../inbound/providers/providers.js';
import type { SourceOption, SourceOptions } from '../../inbound/providers/provider.js';
import { InvalidSourceError } from '../../inbound/sources/errors.js';
import { UNIT_KINDS } from '../../inbound/parsing/delivery-event.js';
import type { TopicMapping } from '../../inbound/sources/source-topics.service.js';
import type { SoftLimit } from '../../inbound/sources/source.entity.js';
import { readSecret, STANDARD_INPUT } from '../input.js';
import { parseDays, valid } from '../options.js';

export function providerOptions(): Option[] {
  return [...SOURCE_OPTIONS].map(toCommandOption);
}

/** Picks the options of providers from those of a command, by the names under which they are stored. */
export function pickProviderOptions(given: Record<string, unknown>): SourceOptions {
  const picked = [...SOURCE_OPTIONS].map((option) => [
    option.name,
    given[toCommandOption(option).attributeName()],
  ]);
  return Object.fromEntries(picked.filter(([, value]) => value !== undefined));
}

function toCommandOption(option: SourceOption): Option {
  const providers = providersWith(option);
  const prefix = providers.length < PROVIDERS.length ? `${providers.join(', ')}: ` : '';
  return new Option(option.flag, `${prefix}${option.description}`).argParser(
    (text: string, earlier: unknown): unknown => {
      const value = valid(option.parse(text));
      return option.isList ? [...((earlier as unknown[] | undefined) ?? []), value] : value;
    },
  );
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

/** Reads `news=group:10`: the key of a topic, and a kind of mail at the provider. */
export function parseTopicMapping(value: string): TopicMapping {
  const [, topicKey, kind, name] = /^([^=]+)=([a-z]+):(.{1,200})$/s.exec(value) ?? [];
  const unitKind = UNIT_KINDS.find((known) => known === kind);
  if (!topicKey || !unitKind || !name) {
    throw new InvalidArgumentError(
      `Use the key of a topic, a kind of mail (${UNIT_KINDS.join(', ')}), and its name at the provider: news=group:10.`,
    );
  }
  return { topicKey, unit: { kind: unitKind, name } };
}

export function parseTopicMappings(value: string, earlier: TopicMapping[] = []): TopicMapping[] {
  return [...earlier, parseTopicMapping(value)];
}

/** Reads `5/14d`: five failures within fourteen days. */
export function parseSoftLimit(value: string): SoftLimit {
  const [, failures, duration] = /^([1-9]\d{0,3})\/(\w+)$/.exec(value) ?? [];
  if (!failures || !duration) {
    throw new InvalidArgumentError('Use a number of failures and a duration of whole days: 5/14d.');
  }
  return { failures: Number(failures), days: parseDays(duration) };
}

/**
 * Returns secrets by name. A secret given as `-` is read from standard input, since every user of the machine can see a command
 * line.
 *
 * @throws {InvalidSourceError} when several secrets are given as `-`
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
