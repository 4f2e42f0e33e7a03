import { In, IsNull, type EntityManager } from 'typeorm';
import { ValidationError } from '../http/errors/errors.js';
import { Source } from '../inbound/sources/source.entity.js';
import { ScopeTakenError } from './errors.js';
import { ProviderList } from './provider-list.entity.js';
import type { ListProvider } from './providers/provider.js';

const LOCK_SCOPE =
  'SELECT pg_advisory_xact_lock(hashtextextended(key, 0)) FROM unnest($1::text[]) AS key ORDER BY key';

export type Settings = Pick<
  ProviderList,
  | 'name'
  | 'sourceId'
  | 'pull'
  | 'shared'
  | 'intervalHours'
  | 'pushAdditions'
  | 'pushRemovals'
  | 'pushUnsubscribes'
>;

export function isPushing({ pushAdditions, pushRemovals }: Partial<Settings>): boolean {
  return pushAdditions === true || pushRemovals === true;
}

/** @throws {ValidationError} unless the provider supports the settings */
export function requirePossible({ add, remove, find }: ListProvider, settings: Settings): void {
  const { shared, pushAdditions, pushRemovals, pushUnsubscribes } = settings;
  const rules: [isBroken: boolean, path: string, message: string][] = [
    [
      shared && (isPushing(settings) || pushUnsubscribes),
      'shared',
      'must be false if a list pushes: shared lists can only pull',
    ],
    [pushAdditions && !add, 'push_additions', 'must be false: this provider takes no additions'],
    [pushRemovals && !remove, 'push_removals', 'must be false: this provider takes no removals'],
    [
      pushRemovals && remove !== undefined && !find,
      'push_removals',
      "must be false: this provider's removals need a person's confirmation: POST /provider-lists/:provider_list/removals",
    ],
  ];
  const broken = rules.filter(([isBroken]) => isBroken);
  if (broken.length > 0) {
    throw ValidationError.ofFields(broken.map(([, path, message]) => ({ path, message })));
  }
}

/** @throws {ValidationError} unless the source belongs to the account and to the provider */
export async function requireSource(
  { accountId, provider, sourceId }: Pick<ProviderList, 'accountId' | 'provider' | 'sourceId'>,
  transaction: EntityManager,
): Promise<void> {
  if (sourceId === null) {
    return;
  }
  const source = await transaction.findOneBy(Source, { accountId, id: sourceId });
  if (source?.provider !== provider) {
    throw ValidationError.ofField('source', 'must be the id of a source of this account and provider');
  }
}

/**
 * Locks make requests with the same scope wait for each other, whatever their accounts. A list of another account counts only
 * after it was read, because anybody can name a scope.
 *
 * @throws {ScopeTakenError}
 */
export async function requireFreeScope(
  { accountId, id, shared }: Pick<ProviderList, 'accountId' | 'id' | 'shared'>,
  keys: string[],
  transaction: EntityManager,
): Promise<void> {
  await transaction.query(LOCK_SCOPE, [keys]);
  const same = await transaction.findBy(ProviderList, { scopeKey: In(keys), deletedAt: IsNull() });
  const others = same.filter((list) =>
    list.accountId === accountId ? list.id !== id : list.lastSuccessAt !== null,
  );
  if (others.length > 0 && !(shared && others.every((list) => list.shared))) {
    throw new ScopeTakenError();
  }
}
