import { ROLES, type Role } from '../people/roles.js';

/** The role that the members of a group have in an account. */
export interface GroupRole {
  group: string;
  account: string;
  role: Role;
}

const GROUP_ROLE = /^([^=,]+)=([a-z0-9][a-z0-9-]*):(viewer|editor|admin)$/;

/** Reads `support=acme:editor,operations=acme:admin`. */
export function groupRolesIn(setting: string): GroupRole[] {
  return setting.split(',').map((part) => {
    const [, group, account, role] = GROUP_ROLE.exec(part.trim()) ?? [];
    return { group: group!, account: account!, role: role as Role };
  });
}

/** The accounts of somebody, in the order of the setting, with the highest role that the groups give. */
export function rolesOf(groups: readonly string[], groupRoles: GroupRole[]): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const { group, account, role } of groupRoles) {
    const present = roles.get(account);
    if (groups.includes(group) && (!present || ROLES.indexOf(role) > ROLES.indexOf(present))) {
      roles.set(account, role);
    }
  }
  return roles;
}
