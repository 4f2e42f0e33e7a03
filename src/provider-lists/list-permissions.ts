import type { ProviderList } from './provider-list.entity.js';
import type { Connection, ListProvider, ProviderRequest } from './providers/provider.js';
import { listProviderOf } from './providers/providers.js';

/** No mailbox has it (RFC 2606), so no list should. */
const EMAIL = 'permission-test@example.invalid';

/** What a list does at its provider, with the provider's name of the permission. */
export type NeededPermission = {
  name: string;
  /** Whether its request must succeed with the present switches of the list. */
  isTried: boolean;
} & (
  | {
      /** A GET request that needs it. */
      request: ProviderRequest;
      /** Whether the request is about one entry, so that 404 is a success. */
      isAboutEntry: boolean;
    }
  | {
      request: null;
      /** The provider's page about the change that needs it. */
      source: string;
    }
);

/** All permissions that a list can need, each once: first those to read, then those to push. */
export function permissionsOf(list: ProviderList, connection: Connection): NeededPermission[] {
  const provider = listProviderOf(list.provider);
  const now = new Date();
  const reads = provider.lists.map((capability) => ({
    name: capability.permission,
    request: provider.request(connection, capability, { position: null, limit: 1 }, now),
    isAboutEntry: false,
    isTried: true,
  }));
  const all = [...reads, ...looksUp(list, provider, connection), ...changes(provider)];
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
}

/** What is read before a change. */
function looksUp(
  { pushAdditions, pushRemovals }: ProviderList,
  { lists, additions, removals, find, effect }: ListProvider,
  connection: Connection,
): NeededPermission[] {
  const changed = [...additions, ...removals].map(({ list }) => list);
  const found = lists.filter(({ list }) => find && changed.includes(list));
  const entries = found.map(({ list }) => ({
    name: find!.permission.replace('{list}', list),
    request: find!.request(
      connection,
      { list, address: EMAIL, cause: 'bounce', since: new Date() },
      new Date(),
    ),
    isAboutEntry: true,
    isTried: pushAdditions || pushRemovals,
  }));
  const effects = effect && {
    name: effect.permission,
    request: effect.request(connection, new Date()),
    isAboutEntry: false,
    isTried: pushAdditions,
  };
  return [...entries, ...(effects ? [effects] : [])];
}

function changes({ additions, removals }: ListProvider): NeededPermission[] {
  return [...additions.filter((addition) => addition.list !== null), ...removals].map(
    ({ permission, source }) => ({
      name: permission,
      request: null,
      isTried: false,
      source,
    }),
  );
}
