import type { AdditionCapability, ListCapability } from '../provider.js';

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

/** All entries that are added have the origin manual. */
export const RESEND_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', list: 'suppressions', source: `${API}/add-suppression` },
  { cause: 'complaint', list: 'suppressions', source: `${API}/add-suppression` },
  { cause: 'manual', list: 'suppressions', source: `${API}/add-suppression` },
];
