import { stringAt, valueAt } from '../../inbound/parsing/json.js';
import { addressOf, segmentOf } from './addresses.js';
import { arrayIn, forEveryCause, US_OR_EU, type ListProvider } from './provider.js';

const API = 'https://developers.sparkpost.com/api/suppression-list';
const LIST = 'suppression-list';

/** Pages may have up to 10,000 entries, but storing them would exceed the time limit of a step. */
const MAX_ENTRIES = 1_000;
const KINDS = ['transactional', 'non_transactional'] as const;
const COMPLIANCE = 'Compliance';
const PATH = '/api/v1/suppression-list';
const PACE = { ms: 0, source: 'SparkPost publishes no rate; a request that is too early gets 429' };
const FIRST_CURSOR = 'initial';
/** https://developers.sparkpost.com/api/suppression-list: without a number, the lists of all subaccounts are searched, too. */
const MASTER_ACCOUNT = '0';
const ORIGINS: Readonly<Record<string, string>> = {
  us: 'https://api.sparkpost.com',
  eu: 'https://api.eu.sparkpost.com',
};

export const sparkpost: ListProvider = {
  scope: [
    {
      name: 'subaccount',
      meaning: 'The number of a subaccount. Without it, the list belongs to the master account.',
      pattern: /^[1-9]\d{0,9}$/,
      problem: 'must be the number of a subaccount, as a string such as "42"',
      default: null,
    },
    US_OR_EU,
  ],
  credentials: [{ name: 'api_key', meaning: 'An API key.' }],
  /** SparkPost keeps one entry for transactional mail and one for other mail. Together, they are one line of a plan. */
  lists: [
    {
      list: LIST,
      format: 'sparkpost',
      address: 'recipient',
      permission: 'Suppression Lists: Read-only',
      source: `${API}/#suppression-list-get-search-suppressions`,
    },
  ],
  /** All added entries have the source Manually Added. */
  additions: forEveryCause({
    list: LIST,
    becomes: 'manual',
    permission: 'Suppression Lists: Read/Write',
    source: `${API}/#suppression-list-put-bulk-create-or-update-suppressions`,
  }),
  /** Entries of the source Compliance cannot be removed: the response is 403. */
  removals: [
    {
      list: LIST,
      permission: 'Suppression Lists: Read/Write',
      hasBounces: true,
      source: `${API}/#suppression-list-delete-delete-a-suppression`,
    },
  ],
  pace: PACE,
  owner: 'api_key',
  originOf: ({ region }) => ORIGINS[region!]!,
  headersOf: ({ scope, credentials }) => ({
    authorization: credentials.api_key!,
    'x-msys-subaccount': scope.subaccount ?? MASTER_ACCOUNT,
  }),
  request({ position, limit = MAX_ENTRIES }) {
    const cursor = encodeURIComponent(position ?? FIRST_CURSOR);
    return { method: 'GET', path: `${PATH}?per_page=${limit}&cursor=${cursor}` };
  },
  /** Only the cursor of the link to the next page is used. Opt-outs of a single list of recipients are omitted. */
  read(body) {
    const results = arrayIn(body, 'results');
    const links = arrayIn(body, 'links');
    if (!results || !links) {
      return null;
    }
    const items = results.filter(isAccountWide);
    const link = links.find((each) => stringAt(each, 'rel') === 'next');
    if (!link) {
      return { items, next: null };
    }
    const next = URL.parse(stringAt(link, 'href') ?? '', ORIGINS.us)?.searchParams.get('cursor');
    return typeof next === 'string' ? { items, next } : null;
  },
  add: {
    pace: PACE,
    request(entry) {
      const recipient = addressOf(entry);
      const recipients = KINDS.map((type) => ({ recipient, type, description: 'Suppression list service' }));
      return { method: 'PUT', path: PATH, body: JSON.stringify({ recipients }) };
    },
  },
  /**
   * A request without a kind of mail removes the entries for both kinds. The empty `list_id` keeps the opt-outs of single lists of
   * recipients, which it would remove, too: https://developers.sparkpost.com/api/suppression-list/#suppression-list-delete-delete-a-suppression
   */
  remove: {
    pace: PACE,
    request: (entry) => ({ method: 'DELETE', path: `${PATH}/${segmentOf(entry)}?list_id=` }),
  },
  find: {
    permission: 'Suppression Lists: Read-only',
    request: (entry) => ({ method: 'GET', path: `${PATH}/${segmentOf(entry)}` }),
    read(body) {
      const entries = arrayIn(body, 'results')?.filter(isAccountWide);
      return entries && (entries.toSorted(strongestAndLatestFirst)[0] ?? null);
    },
    isPermanent: (item) => stringAt(item, 'source') === COMPLIANCE,
  },
};

/** Sources by the strength of their causes here. Entries of the last one cannot be removed. */
const STRENGTHS: Readonly<Record<string, number>> = {
  'bounce rule': 1,
  'manually added': 2,
  'list unsubscribe': 3,
  'unsubscribe link': 3,
  'spam complaint': 4,
  [COMPLIANCE.toLowerCase()]: 5,
};

function strongestAndLatestFirst(one: unknown, other: unknown): number {
  const strength = (entry: unknown) => STRENGTHS[stringAt(entry, 'source')?.toLowerCase() ?? ''] ?? 0;
  const time = (entry: unknown) => Date.parse(stringAt(entry, 'created') ?? '');
  return strength(other) - strength(one) || time(other) - time(one);
}

function isAccountWide(item: unknown): boolean {
  return !valueAt(item, 'list_id');
}
