import type { ListProvider } from '../provider.js';
import { SENDGRID_ADDITIONS, SENDGRID_LISTS } from './capabilities.js';

/** https://www.twilio.com/docs/sendgrid/api-reference/bounces-api/retrieve-all-bounces */
const MAX_ENTRIES = 500;
const ORIGINS: Readonly<Record<string, string>> = {
  global: 'https://api.sendgrid.com',
  eu: 'https://api.eu.sendgrid.com',
};

export const sendgrid: ListProvider = {
  scope: [
    {
      name: 'subuser',
      meaning: 'The name of a subuser. Without it, the lists are those of the owner of the key.',
      pattern: /^[\w.@+-]{1,100}$/,
      problem: 'must be the name of a subuser',
      default: null,
    },
    {
      name: 'region',
      meaning: '`global`, the default, or `eu`.',
      pattern: /^(?:global|eu)$/,
      problem: 'must be global or eu',
      default: 'global',
    },
  ],
  credentials: [{ name: 'api_key', meaning: 'An API key.' }],
  lists: SENDGRID_LISTS,
  additions: SENDGRID_ADDITIONS,
  pace: { ms: 0, source: 'the limit is in the headers X-RateLimit-*; a request that is too early gets 429' },
  identityOf: ({ subuser, region }) => (subuser === undefined ? null : `${region} ${subuser.toLowerCase()}`),
  ownerIn: ({ api_key: key }) => key!,
  originOf: ({ region }) => ORIGINS[region!]!,
  request({ scope, credentials }, { list }, position, _now, limit = MAX_ENTRIES) {
    return {
      path: `/v3/suppression/${list}?limit=${limit}&offset=${position ?? 0}`,
      headers: {
        authorization: `Bearer ${credentials.api_key}`,
        ...(scope.subuser !== undefined && { 'on-behalf-of': scope.subuser }),
      },
    };
  },
  /** A full page may be the last one; the next is empty then. */
  read(body, _list, position) {
    if (!Array.isArray(body)) {
      return null;
    }
    const next = String(Number(position ?? 0) + body.length);
    return { items: body, next: body.length === MAX_ENTRIES ? next : null };
  },
};
