import { booleanAt, isObject, stringAt } from '../../inbound/parsing/json.js';
import { addressOf, segmentOf } from './addresses.js';
import { arrayIn, forEveryCause, type ListProvider } from './provider.js';

const API = 'https://resend.com/docs/api-reference/suppressions';

/** https://resend.com/docs/api-reference/pagination */
const MAX_ENTRIES = 100;
const PACE = { ms: 200, source: 'https://resend.com/docs/api-reference/rate-limit: 5 requests a second' };

export const resend: ListProvider = {
  scope: [],
  credentials: [{ name: 'api_key', meaning: 'An API key with full access.' }],
  lists: [
    {
      list: 'suppressions',
      format: 'resend',
      address: 'email',
      permission: 'full_access',
      source: `${API}/list-suppressions`,
    },
  ],
  /** All added entries have the origin manual. */
  additions: forEveryCause({
    list: 'suppressions',
    becomes: 'manual',
    permission: 'full_access',
    source: `${API}/batch-add-suppressions`,
  }),
  removals: [
    {
      list: 'suppressions',
      permission: 'full_access',
      hasBounces: true,
      source: `${API}/remove-suppression`,
    },
  ],
  pace: PACE,
  owner: 'api_key',
  originOf: () => 'https://api.resend.com',
  headersOf: ({ credentials }) => ({ authorization: `Bearer ${credentials.api_key}` }),
  /** For every operation but sending, also for a deleted key: https://resend.com/docs/api-reference/errors */
  refusal: { status: 400, body: /\bAPI key is invalid\b/i },
  request({ position, limit = MAX_ENTRIES }) {
    const after = position === null ? '' : `&after=${encodeURIComponent(position)}`;
    return { method: 'GET', path: `/suppressions?limit=${limit}${after}` };
  },
  read(body) {
    const items = arrayIn(body, 'data');
    const hasMore = booleanAt(body, 'has_more');
    if (!items || hasMore === undefined) {
      return null;
    }
    const next = hasMore ? stringAt(items.at(-1), 'id') : null;
    return next === undefined ? null : { items, next };
  },
  add: {
    pace: PACE,
    request: (entry) => ({
      method: 'POST',
      path: '/suppressions/batch/add',
      body: JSON.stringify({ emails: [addressOf(entry)] }),
    }),
  },
  remove: {
    pace: PACE,
    request: (entry) => ({ method: 'DELETE', path: `/suppressions/${segmentOf(entry)}` }),
  },
  find: {
    permission: 'full_access',
    request: (entry) => ({ method: 'GET', path: `/suppressions/${segmentOf(entry)}` }),
    read: (body) => (isObject(body) ? body : undefined),
  },
};
