import type { AdditionCapability, ListCapability, RemovalCapability } from '../provider.js';

const API = 'https://developers.brevo.com/reference';

export const BREVO_LISTS: readonly ListCapability[] = [
  {
    list: 'blockedContacts',
    format: 'brevo',
    address: 'email',
    permission: 'GET /smtp/blockedContacts',
    source: `${API}/get-transac-blocked-contacts`,
  },
];

const ADDITION = {
  list: null,
  source: `${API}/create-contact: only contacts can be blocked, so an addition would put people into the address book`,
};

export const BREVO_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', ...ADDITION },
  { cause: 'complaint', ...ADDITION },
  { cause: 'manual', ...ADDITION },
  { cause: 'unsubscribe', ...ADDITION },
];

export const BREVO_REMOVALS: readonly RemovalCapability[] = [
  {
    list: 'blockedContacts',
    permission: 'DELETE /smtp/blockedContacts/{email}',
    refuses: [],
    source: `${API}/unblock-or-resubscribe-a-transactional-contact`,
  },
];
