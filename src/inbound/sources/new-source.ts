import { randomBytes } from 'node:crypto';
import { isName } from '../../validation/name.js';
import { InvalidSourceError } from './errors.js';
import type { Provider, Secret, SourceOptions } from '../providers/provider.js';
import { problemWithMessageIdDomain } from '../providers/mail/origin.js';
import { problemWithTopicArn } from '../providers/ses/confirmation.js';
import type { StoredOptions } from './source.entity.js';

const MADE_SECRET_OCTETS = 16;

/** The options of a provider, as the command line writes them. */
const FLAGS: Readonly<Record<keyof SourceOptions, string>> = {
  emailIdField: '--email-id-field',
  topicArns: '--topic-arn',
  unsubscribeGroups: '--unsubscribe-group',
  messageIdDomains: '--message-id-domain',
  allowUnproven: '--unproven',
};

/** What a person asks for. */
export interface NewSource {
  name: string;
  secrets: Readonly<Record<string, string>>;
  options: StoredOptions;
}

/**
 * @param retentionDays - for so long the inbox keeps soft failures
 * @throws {InvalidSourceError} when no source of this provider can be so
 */
export function requireValid(
  provider: Provider,
  { name, secrets, options }: NewSource,
  retentionDays: number,
): void {
  if (!isName(name)) {
    throw new InvalidSourceError(
      'The name of a source has 1 to 100 characters, and no control characters, line breaks or invisible ones.',
    );
  }
  requireValidSecrets(provider, secrets);
  requireKnownOptions(provider, options);
  if (options.softLimit && options.softLimit.days > retentionDays) {
    throw new InvalidSourceError(
      `The inbox keeps events for ${retentionDays} days, and a soft limit cannot look back for longer: ` +
        'choose fewer days, or raise INBOX_RETENTION_DAYS.',
    );
  }
}

/** The secrets that the service makes and nobody gave. */
export function missingSecrets(provider: Provider, { secrets }: NewSource): Record<string, string> {
  return Object.fromEntries(
    provider.secrets
      .filter(({ name, madeBy }) => madeBy === 'us' && secrets[name] === undefined)
      .map(({ name }) => [name, randomBytes(MADE_SECRET_OCTETS).toString('hex')]),
  );
}

/** The secrets that the provider makes and nobody gave: until it is told them, the source believes nobody. */
export function awaitedSecrets(provider: Provider, known: Readonly<Record<string, string>>): Secret[] {
  return provider.secrets.filter(({ name, madeBy }) => madeBy === 'provider' && known[name] === undefined);
}

/** @throws {InvalidSourceError} when no source of this provider can have such a secret */
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

function requireKnownOptions(provider: Provider, options: StoredOptions): void {
  for (const [option, flag] of Object.entries(FLAGS) as [keyof SourceOptions, string][]) {
    if (options[option] !== undefined && !provider.options.includes(option)) {
      throw new InvalidSourceError(`A source of ${provider.name} does not take ${flag}.`);
    }
  }
  if (provider.options.includes('topicArns') && !options.topicArns?.length) {
    throw new InvalidSourceError('Name the topics that may speak here with --topic-arn.');
  }
  const problems = [
    ...(options.topicArns ?? []).map(problemWithTopicArn),
    ...(options.messageIdDomains ?? []).map(problemWithMessageIdDomain),
  ];
  for (const problem of problems) {
    if (problem !== undefined) {
      throw new InvalidSourceError(problem);
    }
  }
}
