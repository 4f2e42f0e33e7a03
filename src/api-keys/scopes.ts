export const SCOPES = [
  'suppressions:read',
  'suppressions:write',
  'suppressions:check-transactional',
  'suppressions:lift',
  'topics:read',
  'topics:write',
  'rules:read',
  'rules:write',
  'changes:read',
  'audit:read',
  'events:read',
  'events:write',
  'account:read',
  'account:write',
  'webhooks:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Every key may read the settings of its account. */
const SCOPE_OF_EVERY_KEY: Scope = 'account:read';

const INCLUDED_SCOPES: Partial<Record<Scope, readonly Scope[]>> = {
  'suppressions:write': ['suppressions:read', 'suppressions:check-transactional'],
  'topics:write': ['topics:read'],
  'rules:write': ['rules:read'],
  'events:write': ['events:read'],
};

/** Whether a key with the scopes `held` may do what asks for the scope `needed`. */
export function allows(held: readonly Scope[], needed: string): boolean {
  return (
    needed === SCOPE_OF_EVERY_KEY ||
    held.some((scope) => scope === needed || INCLUDED_SCOPES[scope]?.some((included) => included === needed))
  );
}
