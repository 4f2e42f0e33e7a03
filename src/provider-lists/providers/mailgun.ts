import { elementsAt, isObject, stringAt } from '../../inbound/parsing/json.js';
import { toUrl } from '../../process/to-url.js';
import { addressOf, segmentOf } from './addresses.js';
import { arrayIn, US_OR_EU, type ListProvider, type Scope } from './provider.js';

const API = 'https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun';

/** Each list has one cause. */
const LISTS = [
  { list: 'bounces', cause: 'bounce', page: `${API}/bounces` },
  { list: 'complaints', cause: 'complaint', page: `${API}/complaints` },
  { list: 'unsubscribes', cause: 'unsubscribe', page: `${API}/unsubscribe` },
] as const;
/** https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/bounces */
const MAX_ENTRIES = 1_000;
const PACE = { ms: 0, source: 'Mailgun publishes no rate; a request that is too early gets 429' };
/** Mailgun's own default code, and no text. */
const REQUIRED_OF_BOUNCES = { code: '550', error: '' };
const ORIGINS: Readonly<Record<string, string>> = {
  us: 'https://api.mailgun.net',
  eu: 'https://api.eu.mailgun.net',
};

export const mailgun: ListProvider = {
  scope: [
    {
      name: 'domain',
      meaning: 'The sending domain.',
      pattern: /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/,
      problem: 'must be a domain in lower case and in ASCII, such as mg.example.com',
    },
    US_OR_EU,
  ],
  credentials: [{ name: 'api_key', meaning: 'An API key.' }],
  lists: LISTS.map(({ list, page }) => ({
    list,
    format: `mailgun-${list}`,
    address: 'address',
    permission: `GET /v3/{domain}/${list}`,
    source: page,
  })),
  additions: [
    ...LISTS.map(({ list, cause, page }) => ({
      cause,
      list,
      becomes: cause,
      permission: `POST /v3/{domain}/${list}`,
      source: page,
    })),
    {
      cause: 'manual',
      list: null,
      source: 'as the export in the format mailgun, which has no manual entries',
    },
  ],
  removals: LISTS.map(({ list, cause, page }) => ({
    list,
    permission: `DELETE /v3/{domain}/${list}/{address}`,
    hasBounces: cause === 'bounce',
    source: page,
  })),
  pace: PACE,
  identityOf: ({ domain, region }) => `${region} ${domain}`,
  owner: 'api_key',
  originOf: ({ region }) => ORIGINS[region!]!,
  headersOf({ credentials }) {
    const token = Buffer.from(`api:${credentials.api_key}`).toString('base64');
    return { authorization: `Basic ${token}` };
  },
  request: ({ position, limit = MAX_ENTRIES }, { list }, { scope }) => ({
    method: 'GET',
    path: `${pathOf(scope, list)}?${position ?? `limit=${limit}`}`,
  }),
  /**
   * Every page has the URL of the next one. After the last page, the next page is empty. Only the query of the URL is used, so
   * that a response cannot lead to another list or host.
   */
  read(body) {
    const items = arrayIn(body, 'items');
    if (!items) {
      return null;
    }
    if (items.length === 0) {
      return { items, next: null };
    }
    const next = toUrl(stringAt(body, 'paging', 'next') ?? '')?.search.slice(1);
    return next ? { items, next } : null;
  },
  /** Sent without a date, so that Mailgun's own date shows when the entry was added. */
  add: {
    pace: PACE,
    request(entry, { scope }) {
      const { list } = entry;
      const item = {
        address: addressOf(entry),
        ...(list === 'bounces' && REQUIRED_OF_BOUNCES),
        ...(list === 'unsubscribes' && { tags: ['*'] }),
      };
      return { method: 'POST', path: pathOf(scope, list), body: JSON.stringify([item]) };
    },
  },
  /** Opt-outs of single tags stay. */
  remove: {
    pace: PACE,
    request(entry, { scope }) {
      const query = entry.list === 'unsubscribes' ? '?tag=*' : '';
      return { method: 'DELETE', path: `${pathOf(scope, entry.list)}/${segmentOf(entry)}${query}` };
    },
  },
  find: {
    permission: 'GET /v3/{domain}/{list}/{address}',
    request: (entry, { scope }) => ({
      method: 'GET',
      path: `${pathOf(scope, entry.list)}/${segmentOf(entry)}`,
    }),
    read(body, { list }) {
      const tags = elementsAt(body, 'tags');
      const isOfOneTag = list === 'unsubscribes' && tags.length > 0 && !tags.includes('*');
      return isOfOneTag ? null : isObject(body) ? body : undefined;
    },
  },
};

function pathOf({ domain }: Scope, list: string): string {
  return `/v3/${domain}/${list}`;
}
