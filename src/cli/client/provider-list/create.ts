import { InvalidArgumentError, type Command } from 'commander';
import { UsageError } from '../../../process/operator-error.js';
import type { ProviderListDto } from '../../../provider-lists/dto/provider-list.dto.js';
import {
  LIST_PROVIDER_NAMES,
  listProviderOf,
  type ListProviderName,
} from '../../../provider-lists/providers/providers.js';
import { readSecret } from '../../input.js';
import { requiredChoice, command, commandLine, jsonOption, type JsonOption } from '../../options.js';
import { printAs } from '../../output.js';
import { Api, toFields } from '../api.js';
import { listPath, nameOf } from './provider-list-text.js';

/**
 * At a terminal, asks for each credential. Otherwise, standard input has a JSON object with all of them, or the only one.
 *
 * @throws {UsageError} if they are missing or unreadable
 */
async function readCredentials(provider: ListProviderName): Promise<Record<string, string>> {
  const names = listProviderOf(provider).credentials.map(({ name }) => name);
  if (!process.stdin.isTTY) {
    const [only] = names;
    return parseCredentials(await readSecret(names.length === 1 ? only! : objectWith(names)), names);
  }
  const credentials: Record<string, string> = {};
  for (const name of names) {
    credentials[name] = await readSecret(name);
  }
  return credentials;
}

function objectWith(names: string[]): string {
  return `JSON object with ${names.join(' and ')}`;
}

function parseCredentials(text: string, names: string[]): Record<string, string> {
  const [only] = names;
  if (names.length === 1 && !text.startsWith('{')) {
    return { [only!]: text };
  }
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    throw new UsageError(`Standard input must have a ${objectWith(names)}.`);
  }
}

const SWITCHES = [
  ['--pull', 'Apply scheduled plans: add here what the provider has'],
  ['--push-additions', 'Add what is only here at the provider'],
  ['--push-removals', 'Remove at the provider what was lifted here'],
  ['--push-unsubscribes', 'Add unsubscribes, too: only if the scope sends nothing but marketing mail'],
  ['--shared', 'Other provider lists may have the same scope; then it can only pull'],
] as const;

interface CreateOptions extends JsonOption {
  provider: ListProviderName;
  name?: string;
  scope?: Record<string, string>;
}

interface SetOptions extends JsonOption {
  credentials?: boolean;
}

export function createCommand(): Command {
  const create = command(
    'create',
    'Create a provider list with credentials from standard input; nothing is read before its first plan',
  )
    .addOption(requiredChoice('--provider <provider>', 'Provider that keeps the list', LIST_PROVIDER_NAMES))
    .option('--name <name>', 'Name of the list (default: the provider)')
    .option(
      '--scope <name=value>',
      'Part of the scope, such as region=eu-west-1; may be repeated',
      parseScope,
    )
    .option('--interval <duration>', 'How often a plan is made: hours or days, such as 6h (default: 1d)')
    .option('--source <id>', 'Source that the provider sends its events to');
  SWITCHES.forEach(([flag, meaning]) => create.option(flag, meaning));
  return create
    .addOption(jsonOption())
    .action(async ({ provider, name = provider, scope = {}, json, ...settings }: CreateOptions) => {
      const api = new Api();
      const credentials = await readCredentials(provider);
      const body = { provider, name, scope, credentials, ...toFields(settings) };
      const list = await api.post<ProviderListDto>('/provider-lists', body);
      const { id } = list;
      const text = `Created ${nameOf(list)}: ${id}\nTo compare it: ${commandLine('provider-list', 'plan', id)}`;
      await printAs(json, list, text);
    });
}

export function setCommand(): Command {
  const set = command('set', 'Change the settings of a provider list, or replace its credentials')
    .argument('<list>', 'Id of the provider list')
    .option('--name <name>', 'Name of the list')
    .option('--interval <duration>', 'How often a plan is made: hours or days, such as 6h')
    .option('--source <id>', 'Source that the provider sends its events to')
    .option('--credentials', 'Read other credentials, as "create" does');
  SWITCHES.forEach(([flag, meaning]) =>
    set.option(flag, meaning).option(flag.replace('--', '--no-'), `Turn off ${flag}`),
  );
  return set
    .addOption(jsonOption())
    .action(async (id: string, { credentials: replacing, json, ...settings }: SetOptions) => {
      const api = new Api();
      const { provider } = await api.get<ProviderListDto>(listPath(id));
      const credentials = replacing && (await readCredentials(provider));
      const body = { credentials, ...toFields(settings) };
      const list = await api.json<ProviderListDto>('PATCH', listPath(id), body);
      await printAs(json, list, `Changed ${nameOf(list)}.`);
    });
}

function parseScope(value: string, earlier: Record<string, string> = {}): Record<string, string> {
  const [, name, text] = /^([a-z_]+)=(.+)$/s.exec(value) ?? [];
  if (!name || !text) {
    throw new InvalidArgumentError('Use name=value, such as region=eu-west-1.');
  }
  return { ...earlier, [name]: text };
}
