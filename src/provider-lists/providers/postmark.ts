import { addressOf } from './addresses.js';
import { arrayIn, forEveryCause, type Connection, type ListChanges, type ListProvider } from './provider.js';

const API = 'https://postmarkapp.com/developer/api/suppressions-api';

const ITEMS = 'Suppressions';

/** https://postmarkapp.com/developer/api/suppressions-api: the dump has all entries in one response. */
export const postmark: ListProvider = {
  scope: [
    {
      name: 'stream',
      meaning: 'The id of a message stream, such as `outbound`.',
      pattern: /^[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?$/,
      problem: 'must be the id of a message stream, such as outbound',
    },
  ],
  credentials: [{ name: 'server_token', meaning: 'The API token of the server.' }],
  lists: [
    {
      list: 'suppressions',
      format: 'postmark',
      address: 'emailaddress',
      permission: 'GET /message-streams/{stream}/suppressions/dump',
      source: `${API}#suppression-dump`,
    },
  ],
  /** All added entries have the reason ManualSuppression and the origin Customer. */
  additions: forEveryCause({
    list: 'suppressions',
    becomes: 'manual',
    permission: 'POST /message-streams/{stream}/suppressions',
    source: `${API}#create-a-suppression`,
  }),
  /** Only hard bounces, and entries that the customer made, can be removed. */
  removals: [
    {
      list: 'suppressions',
      permission: 'POST /message-streams/{stream}/suppressions/delete',
      refuses: ['complaint', 'unsubscribe'],
      hasBounces: true,
      source: `${API}#delete-a-suppression`,
    },
  ],
  pace: { ms: 0, source: 'one request reads the list' },
  owner: 'server_token',
  originOf: () => 'https://api.postmarkapp.com',
  headersOf: ({ credentials }) => ({ 'x-postmark-server-token': credentials.server_token! }),
  request: (_page, _list, connection) => ({ method: 'GET', path: `${pathOf(connection)}/dump` }),
  read: () => null,
  streams: ITEMS,
  add: changes('', 'Suppressed'),
  remove: changes('/delete', 'Deleted'),
  find: {
    permission: 'GET /message-streams/{stream}/suppressions/dump',
    request(entry, connection) {
      const query = new URLSearchParams({ EmailAddress: addressOf(entry) });
      return { method: 'GET', path: `${pathOf(connection)}/dump?${query}` };
    },
    read(body, { address }) {
      const items = arrayIn(body, ITEMS);
      return itemOf(address, items) ?? (items?.length === 0 ? null : undefined);
    },
  },
};

/** The response says whether it worked; the request succeeds even if it did not. */
function changes(path: string, success: string): ListChanges {
  return {
    pace: { ms: 0, source: 'Postmark publishes no rate; a request that is too early gets 429' },
    request: (entry, connection) => ({
      method: 'POST',
      path: `${pathOf(connection)}${path}`,
      body: JSON.stringify({ [ITEMS]: [{ EmailAddress: addressOf(entry) }] }),
    }),
    read(body, { address }) {
      const status = itemOf(address, arrayIn(body, ITEMS))?.Status;
      return status === success ? 'done' : status === 'Failed' ? 'refused' : null;
    },
  };
}

function itemOf(address: string, items: unknown[] | null) {
  const found = items as ({ EmailAddress?: unknown; Status?: unknown } | null)[] | null;
  return found?.find((item) => String(item?.EmailAddress).toLowerCase() === address.toLowerCase());
}

function pathOf({ scope }: Connection): string {
  return `/message-streams/${scope.stream}/suppressions`;
}
