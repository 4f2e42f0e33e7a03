import { arrayIn, type Connection, type ListCapability, type ListProvider, type Scope } from '../provider.js';
import { MAILGUN_ADDITIONS, MAILGUN_LISTS } from './capabilities.js';

/** https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/bounces */
const MAX_ENTRIES = 1_000;
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
    {
      name: 'region',
      meaning: '`us`, the default, or `eu`.',
      pattern: /^(?:us|eu)$/,
      problem: 'must be us or eu',
      default: 'us',
    },
  ],
  credentials: [{ name: 'api_key', meaning: 'An API key.' }],
  lists: MAILGUN_LISTS,
  additions: MAILGUN_ADDITIONS,
  pace: { ms: 0, source: 'Mailgun publishes no rate; a request that is too early gets 429' },
  identityOf: ({ domain, region }) => `${region} ${domain}`,
  ownerIn: ({ api_key: key }) => key!,
  originOf: ({ region }) => ORIGINS[region!]!,
  request({ scope, credentials }: Connection, list, position, _now, limit = MAX_ENTRIES) {
    const token = Buffer.from(`api:${credentials.api_key}`).toString('base64');
    return {
      path: `${pathOf(scope, list)}?${position ?? `limit=${limit}`}`,
      headers: { authorization: `Basic ${token}` },
    };
  },
  /**
   * The next page has a URL of its own, also after the last page; then it is empty. Only its query is followed, so that a
   * response cannot lead to another list or host.
   */
  read(body) {
    const items = arrayIn(body, 'items');
    if (!items) {
      return null;
    }
    if (items.length === 0) {
      return { items, next: null };
    }
    const { next } = ((body as { paging?: { next?: unknown } }).paging ?? {}) as { next?: unknown };
    const query = typeof next === 'string' && URL.canParse(next) ? new URL(next).search.slice(1) : '';
    return query === '' ? null : { items, next: query };
  },
};

function pathOf({ domain }: Scope, { list }: ListCapability): string {
  return `/v3/${domain}/${list}`;
}
