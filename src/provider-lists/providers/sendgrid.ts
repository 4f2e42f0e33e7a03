import { addressOf, segmentOf } from './addresses.js';
import { forEveryCause, pageAt, type ListProvider } from './provider.js';

const API = 'https://www.twilio.com/docs/sendgrid/api-reference';

/**
 * Blocks are omitted, because SendGrid itself keeps sending to blocked addresses. Groups are omitted, because each stops only
 * one kind of mail.
 */
const LISTS = [
  {
    list: 'bounces',
    format: 'sendgrid-bounces',
    hasBounces: true,
    reading: `${API}/bounces-api/retrieve-all-bounces`,
    removing: `${API}/bounces-api/delete-a-bounce`,
  },
  {
    list: 'invalid_emails',
    format: 'sendgrid-invalid',
    hasBounces: true,
    reading: `${API}/invalid-e-mails-api/retrieve-all-invalid-emails`,
    removing: `${API}/invalid-e-mails-api/delete-a-specific-invalid-email`,
  },
  {
    list: 'spam_reports',
    format: 'sendgrid-spam-reports',
    hasBounces: false,
    reading: `${API}/spam-reports-api/retrieve-all-spam-reports`,
    removing: `${API}/spam-reports-api/delete-a-specific-spam-report`,
  },
  {
    list: 'unsubscribes',
    format: 'sendgrid-global-unsubscribes',
    hasBounces: false,
    reading: `${API}/suppressions-global-suppressions/retrieve-all-global-suppressions`,
    removing: `${API}/suppressions-global-suppressions/delete-a-global-suppression`,
  },
];
/** https://www.twilio.com/docs/sendgrid/api-reference/bounces-api/retrieve-all-bounces */
const MAX_ENTRIES = 500;
const GLOBAL = '/v3/asm/suppressions/global';
const PACE = {
  ms: 0,
  source: 'the limit is in the headers X-RateLimit-*; a request that is too early gets 429',
};
const ORIGINS: Readonly<Record<string, string>> = {
  global: 'https://api.sendgrid.com',
  eu: 'https://api.eu.sendgrid.com',
};

export const sendgrid: ListProvider = {
  scope: [
    {
      name: 'subuser',
      meaning: 'The name of a subuser. Without it, the lists belong to the owner of the key.',
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
  lists: LISTS.map(({ list, format, reading }) => ({
    list,
    format,
    address: 'email',
    permission: `suppression.${list}.read`,
    source: reading,
  })),
  /** Only global unsubscribes can be added, whatever the cause. */
  additions: forEveryCause({
    list: 'unsubscribes',
    becomes: 'unsubscribe',
    permission: 'asm.suppressions.global.create',
    source: `${API}/suppressions-global-suppressions/add-recipient-addresses-to-the-global-suppression-group`,
  }),
  removals: LISTS.map(({ list, hasBounces, removing }) => ({
    list,
    permission: list === 'unsubscribes' ? 'asm.suppressions.global.delete' : `suppression.${list}.delete`,
    hasBounces,
    source: removing,
  })),
  pace: PACE,
  identityOf: ({ subuser, region }) => (subuser === undefined ? null : `${region} ${subuser.toLowerCase()}`),
  owner: 'api_key',
  originOf: ({ region }) => ORIGINS[region!]!,
  headersOf: ({ scope, credentials }) => ({
    authorization: `Bearer ${credentials.api_key}`,
    ...(scope.subuser !== undefined && { 'on-behalf-of': scope.subuser }),
  }),
  request: ({ position, limit = MAX_ENTRIES }, { list }) => ({
    method: 'GET',
    path: `/v3/suppression/${list}?limit=${limit}&offset=${position ?? 0}`,
  }),
  read: (body, _list, position) => (Array.isArray(body) ? pageAt(position, body) : null),
  add: {
    pace: PACE,
    request: (entry) => ({
      method: 'POST',
      path: GLOBAL,
      body: JSON.stringify({ recipient_emails: [addressOf(entry)] }),
    }),
  },
  /** Entries are removed one by one. A request for several has no address in its path, and can delete the whole list. */
  remove: {
    pace: PACE,
    request(entry) {
      const path = entry.list === 'unsubscribes' ? GLOBAL : `/v3/suppression/${entry.list}`;
      return { method: 'DELETE', path: `${path}/${segmentOf(entry)}` };
    },
  },
  /**
   * Filters the lists, because the response about one global unsubscribe has no date. The filter returns all addresses that
   * begin with the given one. A response with other addresses was not filtered.
   */
  find: {
    permission: 'suppression.{list}.read',
    request: (entry) => ({
      method: 'GET',
      path: `/v3/suppression/${entry.list}?limit=${MAX_ENTRIES}&email=${segmentOf(entry)}`,
    }),
    read(body, { address }) {
      if (!Array.isArray(body)) {
        return undefined;
      }
      const emails = (body as { email?: unknown }[]).map((item) => String(item?.email).toLowerCase());
      const index = emails.indexOf(address.toLowerCase());
      const isComplete =
        emails.length < MAX_ENTRIES && emails.every((email) => email.startsWith(address.toLowerCase()));
      return index >= 0 ? body[index] : isComplete ? null : undefined;
    },
  },
};
