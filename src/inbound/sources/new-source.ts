import { randomBytes } from 'node:crypto';
import { Invalid, isName } from '../../validation/parsers.js';
import type { Provider, Secret, SourceOptions } from '../providers/provider.js';
import { SOURCE_OPTIONS } from '../providers/providers.js';
import { InvalidSourceError } from './errors.js';
import type { SoftLimit, StoredOptions } from './source.entity.js';

const GENERATED_SECRET_BYTES = 16;
const URL_ID_BYTES = 24;

/** The input that creates a source. */
export interface NewSource {
  name: string;
  secrets: Readonly<Record<string, string>>;
  options: StoredOptions;
}

/**
 * @param retentionDays - how long the inbox keeps soft failures
 * @throws {InvalidSourceError} when the provider cannot have such a source
 */
export function requireValid(
  provider: Provider,
  { name, secrets, options: { softLimit, ...options } }: NewSource,
  retentionDays: number,
): void {
  if (!isName(name)) {
    throw new InvalidSourceError(
      'The name of a source must have 1 to 100 characters, not only spaces, without control characters, line breaks or invisible characters.',
    );
  }
  requireValidSecrets(provider, secrets);
  requireValidOptions(provider, options);
  requireValidSoftLimit(softLimit, retentionDays);
}

export function randomUrlId(): string {
  return randomBytes(URL_ID_BYTES).toString('base64url');
}

export function generateSecrets(provider: Provider, { secrets }: NewSource): Record<string, string> {
  return Object.fromEntries(
    provider.secrets
      .filter(({ name, generatedBy }) => generatedBy === 'service' && secrets[name] === undefined)
      .map(({ name }) => [name, randomBytes(GENERATED_SECRET_BYTES).toString('hex')]),
  );
}

/** The secrets that the provider generates and the source lacks. Until it has them, it refuses every delivery. */
export function awaitedSecrets(provider: Provider, secrets: Readonly<Record<string, string>>): Secret[] {
  return provider.secrets.filter(
    ({ name, generatedBy }) => generatedBy === 'provider' && secrets[name] === undefined,
  );
}

/** @throws {InvalidSourceError} when sources of this provider cannot have such a secret */
export function requireValidSecrets(provider: Provider, secrets: NewSource['secrets']): void {
  const names = provider.secrets.map(({ name }) => name);
  const unknown = Object.keys(secrets).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const known = names.length > 0 ? `It has: ${names.join(', ')}.` : 'It has none.';
    throw new InvalidSourceError(`A source of ${provider.name} has no secret "${unknown}". ${known}`);
  }
  for (const { name, description, problemWith } of provider.secrets) {
    const secret = secrets[name]?.trim();
    const problem = secret === '' ? `The ${name} is empty. ${description}` : secret && problemWith?.(secret);
    if (problem) {
      throw new InvalidSourceError(problem);
    }
  }
}

function requireValidOptions(provider: Provider, options: SourceOptions): void {
  const foreign = [...SOURCE_OPTIONS].find(
    ({ name }) =>
      options[name] !== undefined && !provider.options.some((supported) => supported.name === name),
  );
  if (foreign) {
    throw new InvalidSourceError(`A source of ${provider.name} does not take ${flagOf(foreign)}.`);
  }
  for (const option of provider.options) {
    const value: unknown = options[option.name];
    const values = Array.isArray(value) ? value : value === undefined ? [] : [value];
    if (option.required !== undefined && values.length === 0) {
      throw new InvalidSourceError(option.required);
    }
    const invalid = values
      .map((text) => option.parse(String(text)))
      .find((parsed) => parsed instanceof Invalid);
    if (invalid) {
      throw new InvalidSourceError(`${flagOf(option)} ${invalid.problem}.`);
    }
  }
}

/** `--topic-arn` for `--topic-arn <arn>`. */
function flagOf({ flag }: { flag: string }): string {
  return flag.split(' ', 1)[0]!;
}

function requireValidSoftLimit(softLimit: SoftLimit | undefined, retentionDays: number): void {
  if (softLimit && softLimit.days > retentionDays) {
    throw new InvalidSourceError(
      `The inbox keeps events for ${retentionDays} days, so a soft limit cannot cover more: choose fewer days, or raise ` +
        'the inbox retention of the account or INBOX_RETENTION_DAYS.',
    );
  }
}
