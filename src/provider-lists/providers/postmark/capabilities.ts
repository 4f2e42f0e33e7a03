import type { AdditionCapability, ListCapability, RemovalCapability } from '../provider.js';

const API = 'https://postmarkapp.com/developer/api/suppressions-api';

export const POSTMARK_LISTS: readonly ListCapability[] = [
  {
    list: 'suppressions',
    format: 'postmark',
    address: 'emailaddress',
    permission: 'GET /message-streams/{stream}/suppressions/dump',
    source: `${API}#suppression-dump`,
  },
];

const ADD = {
  list: 'suppressions',
  becomes: 'manual',
  permission: 'POST /message-streams/{stream}/suppressions',
  source: `${API}#create-a-suppression`,
} as const;

/** All entries that are added have the reason ManualSuppression and the origin Customer. */
export const POSTMARK_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', ...ADD },
  { cause: 'complaint', ...ADD },
  { cause: 'manual', ...ADD },
  { cause: 'unsubscribe', ...ADD },
];

export const POSTMARK_REMOVALS: readonly RemovalCapability[] = [
  {
    list: 'suppressions',
    permission: 'POST /message-streams/{stream}/suppressions/delete',
    refuses: ['complaint'],
    hasBounces: true,
    source: `${API}#delete-a-suppression`,
  },
];
