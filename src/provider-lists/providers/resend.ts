import { addressesOf, segmentOf } from './addresses.js';
import {
  arrayIn,
  type AdditionCapability,
  type Connection,
  type ListCapability,
  type ListProvider,
  type RemovalCapability,
} from './provider.js';

const API = 'https://resend.com/docs/api-reference/suppressions';

const RESEND_LISTS: readonly ListCapability[] = [
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
const RESEND_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', ...ADD },
  { cause: 'complaint', ...ADD },
  { cause: 'manual', ...ADD },
  { cause: 'unsubscribe', ...ADD },
];

const RESEND_REMOVALS: readonly RemovalCapability[] = [
  {
    list: 'suppressions',
    permission: 'full_access',
    refuses: [],
    hasBounces: true,
    source: `${API}/remove-suppression`,
  },
];

/** https://resend.com/docs/api-reference/pagination */
const MAX_ENTRIES = 100;
const PACE = { ms: 200, source: 'https://resend.com/docs/api-reference/rate-limit: 5 requests a second' };

export const resend: ListProvider = {
  scope: [],
  credentials: [{ name: 'api_key', meaning: 'An API key with full access.' }],
  lists: RESEND_LISTS,
  additions: RESEND_ADDITIONS,
  removals: RESEND_REMOVALS,
  pace: PACE,
  identityOf: () => null,
  ownerIn: ({ api_key: key }) => key!,
  originOf: () => 'https://api.resend.com',
  request(connection, _list, { position, limit = MAX_ENTRIES }) {
    const after = position === null ? '' : `&after=${encodeURIComponent(position)}`;
    return { method: 'GET', path: `/suppressions?limit=${limit}${after}`, headers: headersOf(connection) };
  },
  read(body) {
    const items = arrayIn(body, 'data');
    const { has_more: hasMore } = (body ?? {}) as { has_more?: unknown };
    if (!items || typeof hasMore !== 'boolean') {
      return null;
    }
    const { id } = (items.at(-1) ?? {}) as { id?: unknown };
    if (!hasMore) {
      return { items, next: null };
    }
    return typeof id === 'string' ? { items, next: id } : null;
  },
  add: {
    pace: PACE,
    request: (connection, entries) => ({
      method: 'POST',
      path: '/suppressions/batch/add',
      headers: headersOf(connection),
      body: JSON.stringify({ emails: addressesOf(entries) }),
    }),
  },
  remove: {
    pace: PACE,
    request: (connection, entries) => ({
      method: 'DELETE',
      path: `/suppressions/${segmentOf(entries)}`,
      headers: headersOf(connection),
    }),
  },
  find: {
    permission: 'full_access',
    request: (connection, entry) => ({
      method: 'GET',
      path: `/suppressions/${segmentOf([entry])}`,
      headers: headersOf(connection),
    }),
    read: (body) => (typeof body === 'object' && body !== null ? body : undefined),
  },
};

function headersOf({ credentials }: Connection): Record<string, string> {
  return { authorization: `Bearer ${credentials.api_key}` };
}
