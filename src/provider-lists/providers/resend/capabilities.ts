import type { AdditionCapability, ListCapability, RemovalCapability } from '../provider.js';

const API = 'https://resend.com/docs/api-reference/suppressions';

export const RESEND_LISTS: readonly ListCapability[] = [
  {
    list: 'suppressions',
    format: 'resend',
    address: 'email',
    permission: 'full_access',
    source: `${API}/list-suppressions`,
  },
];

const ADD = {
  list: 'suppressions',
  becomes: 'manual',
  permission: 'full_access',
  source: `${API}/batch-add-suppressions`,
} as const;

/** All entries that are added have the origin manual. */
export const RESEND_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', ...ADD },
  { cause: 'complaint', ...ADD },
  { cause: 'manual', ...ADD },
  { cause: 'unsubscribe', ...ADD },
];

export const RESEND_REMOVALS: readonly RemovalCapability[] = [
  {
    list: 'suppressions',
    permission: 'full_access',
    refuses: [],
    hasBounces: true,
    source: `${API}/remove-suppression`,
  },
];
