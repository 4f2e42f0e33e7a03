import { numberAt } from '../../inbound/parsing/json.js';
import { segmentOf } from './addresses.js';
import { arrayIn, forEveryCause, pageAt, type ListProvider } from './provider.js';

const API = 'https://developers.brevo.com/reference';

/** https://developers.brevo.com/reference/get-transac-blocked-contacts */
const MAX_ENTRIES = 100;
const PATH = '/v3/smtp/blockedContacts';
const LIMITS = 'https://developers.brevo.com/docs/api-limits';

export const brevo: ListProvider = {
  scope: [],
  credentials: [{ name: 'api_key', meaning: 'An API key (v3).' }],
  lists: [
    {
      list: 'blockedContacts',
      format: 'brevo',
      address: 'email',
      permission: 'GET /smtp/blockedContacts',
      source: `${API}/get-transac-blocked-contacts`,
    },
  ],
  additions: forEveryCause({
    list: null,
    source: `${API}/create-contact: only contacts can be blocked, so an addition would put people into the address book`,
  }),
  removals: [
    {
      list: 'blockedContacts',
      permission: 'DELETE /smtp/blockedContacts/{email}',
      source: `${API}/unblock-or-resubscribe-a-transactional-contact`,
    },
  ],
  pace: { ms: 0, source: `${LIMITS}: 1,000 requests a second` },
  owner: 'api_key',
  originOf: () => 'https://api.brevo.com',
  headersOf: ({ credentials }) => ({ 'api-key': credentials.api_key! }),
  /**
   * Oldest first, so that an entry that is added while the list is being read does not move others to a page that was already
   * read.
   */
  request: ({ position, limit = MAX_ENTRIES }) => ({
    method: 'GET',
    path: `${PATH}?limit=${limit}&offset=${position ?? 0}&sort=asc`,
  }),
  /** A page without contacts may have only the count of all contacts. */
  read(body, _list, position) {
    const count = numberAt(body, 'count') ?? Infinity;
    const isAfterEnd = count <= Number(position ?? 0);
    const items = arrayIn(body, 'contacts') ?? (isAfterEnd ? [] : null);
    return items && pageAt(position, items);
  },
  /** Brevo cannot look up an entry by its address, and removes all entries of an address, whatever their senders. */
  remove: {
    pace: { ms: 12_000, source: `${LIMITS}: 300 requests an hour in most plans` },
    request: (entry) => ({ method: 'DELETE', path: `${PATH}/${segmentOf(entry)}` }),
  },
};
