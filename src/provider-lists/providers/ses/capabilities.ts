import type { AdditionCapability, ListCapability } from '../provider.js';

const API = 'https://docs.aws.amazon.com/ses/latest/APIReference-V2';

export const SES_LISTS: readonly ListCapability[] = [
  {
    list: 'suppressions',
    format: 'ses-list',
    address: 'emailaddress',
    permission: 'ses:ListSuppressedDestinations',
    source: `${API}/API_ListSuppressedDestinations.html`,
  },
];

/** SES knows the reasons BOUNCE and COMPLAINT. */
export const SES_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', list: 'suppressions', source: `${API}/API_PutSuppressedDestination.html` },
  { cause: 'complaint', list: 'suppressions', source: `${API}/API_PutSuppressedDestination.html` },
  { cause: 'manual', list: 'suppressions', source: 'as the export in the format ses: COMPLAINT' },
];
