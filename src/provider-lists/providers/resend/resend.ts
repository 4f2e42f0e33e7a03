import { arrayIn, type ListProvider } from '../provider.js';
import { RESEND_ADDITIONS, RESEND_LISTS } from './capabilities.js';

/** https://resend.com/docs/api-reference/pagination */
const MAX_ENTRIES = 100;

export const resend: ListProvider = {
  scope: [],
  credentials: [{ name: 'api_key', meaning: 'An API key with full access.' }],
  lists: RESEND_LISTS,
  additions: RESEND_ADDITIONS,
  pace: { ms: 200, source: 'https://resend.com/docs/api-reference/rate-limit: 5 requests a second' },
  identityOf: () => null,
  ownerIn: ({ api_key: key }) => key!,
  originOf: () => 'https://api.resend.com',
  request({ credentials }, _list, position, _now, limit = MAX_ENTRIES) {
    const after = position === null ? '' : `&after=${encodeURIComponent(position)}`;
    return {
      path: `/suppressions?limit=${limit}${after}`,
      headers: { authorization: `Bearer ${credentials.api_key}` },
    };
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
};
