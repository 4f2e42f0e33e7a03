import type { AdditionCapability, ListCapability } from '../provider.js';

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

/** All entries that are added have the reason ManualSuppression. */
export const POSTMARK_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', list: 'suppressions', source: `${API}#create-a-suppression` },
  { cause: 'complaint', list: 'suppressions', source: `${API}#create-a-suppression` },
  { cause: 'manual', list: 'suppressions', source: `${API}#create-a-suppression` },
];
