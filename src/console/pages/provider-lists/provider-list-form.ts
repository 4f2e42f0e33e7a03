import { ValidationError } from '../../../http/errors/errors.js';
import {
  LIST_PROVIDER_NAMES,
  listProviderOf,
  type ListProviderName,
} from '../../../provider-lists/providers/providers.js';
import type { Visit } from '../../access/visit.js';
import { textOf, type Fields } from '../../components/fields.js';

const SWITCHES = ['pull', 'push_additions', 'push_removals', 'push_unsubscribes', 'shared'] as const;

/** @throws {ValidationError} */
export function providerIn(fields: Fields): ListProviderName {
  const provider = LIST_PROVIDER_NAMES.find((known) => known === textOf(fields, 'provider'));
  if (!provider) {
    throw ValidationError.ofRequest(`The provider must be one of ${LIST_PROVIDER_NAMES.join(', ')}.`);
  }
  return provider;
}

/** The form as the body of the API. Fields that were left empty are absent. */
export function newListIn(form: Fields, provider: ListProviderName): Record<string, unknown> {
  return {
    ...settingsIn(form),
    provider,
    name: textOf(form, 'name') || provider,
    scope: partsIn(form, 'scope', listProviderOf(provider).scope),
    credentials: credentialsIn(form, provider),
  };
}

/** Without credentials, those that are stored stay. */
export function changesIn(form: Fields, provider: ListProviderName): Record<string, unknown> {
  const credentials = credentialsIn(form, provider);
  return {
    ...settingsIn(form),
    name: textOf(form, 'name'),
    ...(Object.keys(credentials).length > 0 && { credentials }),
  };
}

/** The page that comes again has no credentials. */
export function withoutCredentials(visit: Visit): Visit {
  const { entered } = visit;
  const fields = Object.entries(entered?.fields ?? {}).filter(([name]) => !name.startsWith('credential_'));
  return { ...visit, entered: entered && { ...entered, fields: Object.fromEntries(fields) } };
}

function settingsIn(form: Fields): Record<string, unknown> {
  const switches = SWITCHES.map((name) => [name, textOf(form, name) === 'true']);
  return { ...Object.fromEntries(switches), interval: textOf(form, 'interval') };
}

function credentialsIn(form: Fields, provider: ListProviderName): Record<string, string> {
  return partsIn(form, 'credential', listProviderOf(provider).credentials);
}

function partsIn(form: Fields, prefix: string, parts: readonly { name: string }[]): Record<string, string> {
  const values = parts.map(({ name }) => [name, textOf(form, `${prefix}_${name}`)]);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}
