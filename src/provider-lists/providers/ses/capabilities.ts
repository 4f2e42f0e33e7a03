import type { AdditionCapability, ListCapability, RemovalCapability } from '../provider.js';

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

const PUT = { list: 'suppressions', permission: 'ses:PutSuppressedDestination' } as const;
const PUT_SOURCE = `${API}/API_PutSuppressedDestination.html`;

/** SES knows the reasons BOUNCE and COMPLAINT, so other causes become COMPLAINT, as in exports. */
export const SES_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', ...PUT, becomes: 'bounce', source: PUT_SOURCE },
  { cause: 'complaint', ...PUT, becomes: 'complaint', source: PUT_SOURCE },
  { cause: 'manual', ...PUT, becomes: 'complaint', source: PUT_SOURCE },
  { cause: 'unsubscribe', ...PUT, becomes: 'complaint', source: PUT_SOURCE },
];

export const SES_REMOVALS: readonly RemovalCapability[] = [
  {
    list: 'suppressions',
    permission: 'ses:DeleteSuppressedDestination',
    hasBounces: true,
    refuses: [],
    source: `${API}/API_DeleteSuppressedDestination.html`,
  },
];
