/** What a key with a scope may do, as the console and the README say it. */
export const SCOPE_MEANINGS = {
  'suppressions:read':
    'Check, look up, list, count, scrub, and export; read histories; create unsubscribe links',
  'suppressions:write': 'Also add, remove, and import',
  'suppressions:check':
    'Check, scrub, and create unsubscribe links; for a mailer that does not have to look up, list, or export',
  'suppressions:check-transactional': 'Check for transactional email, which unsubscribes do not stop',
  'suppressions:lift':
    'Lift many bounces or manual entries by query; decide incidents; with a consent, lift complaints, unsubscribes, and opt-outs ' +
    'if the account guards removals',
  'topics:read': 'Read topics and preferences',
  'topics:write': 'Also create, change, archive, and restore topics, and set preferences',
  'rules:read': 'Read rules',
  'rules:write': 'Also create, replace, and delete rules',
  'changes:read': 'Read all changes of the list',
  'audit:read': 'Read the audit log',
  'contacts:read': 'Read everything about an address, even data that no other scope shows',
  'contacts:erase': 'Erase addresses; a new key does not have this scope by default',
  'pseudonyms:read': 'Read the key that recognizes erased addresses, which replicas need',
  'events:read': 'Read delivery events',
  'events:write': 'Also report bounces, complaints, and unsubscribes',
  'account:read': 'Read the settings, which every key may do; for a key that may do nothing else',
  'account:write': 'Change the settings',
  'provider-lists:read': 'Read provider lists and their plans',
  'provider-lists:write': 'Also manage provider lists, apply plans, and push to providers',
  'webhooks:write': 'Manage webhooks',
} as const;

export type Scope = keyof typeof SCOPE_MEANINGS;

export const SCOPES = Object.keys(SCOPE_MEANINGS) as readonly Scope[];

export const DEFAULT_SET = 'all but contacts:erase';

/** The scopes of a new key, unless others are given. */
export const DEFAULT_SCOPES = SCOPES.filter((scope) => scope !== 'contacts:erase');

/** The name of a set with all scopes, or with all default scopes; undefined for any other set. */
export function nameOfSet(scopes: readonly Scope[]): string | undefined {
  if (!DEFAULT_SCOPES.every((scope) => scopes.includes(scope))) {
    return undefined;
  }
  return scopes.length === SCOPES.length ? 'all' : DEFAULT_SET;
}

/** Every key may read the settings of its account. */
const SCOPE_OF_EVERY_KEY: Scope = 'account:read';

export const INCLUDED_SCOPES: Partial<Record<Scope, readonly Scope[]>> = {
  'suppressions:read': ['suppressions:check'],
  'suppressions:write': ['suppressions:read', 'suppressions:check', 'suppressions:check-transactional'],
  'topics:write': ['topics:read'],
  'rules:write': ['rules:read'],
  'events:write': ['events:read'],
  'provider-lists:write': ['provider-lists:read'],
};

/** Whether a key with the scopes `held` may use an operation that requires the scope `needed`. */
export function allows(held: readonly Scope[], needed: string): boolean {
  return (
    needed === SCOPE_OF_EVERY_KEY ||
    held.some((scope) => scope === needed || INCLUDED_SCOPES[scope]?.some((included) => included === needed))
  );
}
