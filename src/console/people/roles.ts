/** What a person may do in the console of an account, from the least to the most. */
export const ROLES = ['viewer', 'editor', 'admin'] as const;

export type Role = (typeof ROLES)[number];

/** Each role includes those before it. */
export function includesRole(held: Role, needed: Role): boolean {
  return ROLES.indexOf(held) >= ROLES.indexOf(needed);
}

/** Whether the page offers a person to change something. The guard of the route decides. */
export function canEdit({ role }: { role: Role }): boolean {
  return includesRole(role, 'editor');
}
