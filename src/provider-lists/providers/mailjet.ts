import { arrayIn, forEveryCause, pageAt, type ListProvider } from './provider.js';

const API = 'https://dev.mailjet.com/email/reference/contacts/contact';

/** https://dev.mailjet.com/email/reference/overview/pagination/ */
const MAX_ENTRIES = 1_000;

export const mailjet: ListProvider = {
  scope: [],
  credentials: [
    { name: 'api_key', meaning: 'The API key.' },
    { name: 'secret_key', meaning: 'The secret of that key.' },
  ],
  /** Mailjet has no request that lists blocked addresses, such as hard bounces. */
  lists: [
    {
      list: 'excluded_contacts',
      format: 'mailjet',
      address: 'email',
      permission: 'GET /v3/REST/contact',
      source: `${API}#v3_get_contact`,
    },
  ],
  additions: forEveryCause({
    list: null,
    source: `${API}: an exclusion stops campaigns only, and creates a contact`,
  }),
  removals: [],
  pace: { ms: 0, source: 'Mailjet publishes no rate; a request that is too early gets 429' },
  owner: 'api_key',
  originOf: () => 'https://api.mailjet.com',
  headersOf({ credentials }) {
    const token = Buffer.from(`${credentials.api_key}:${credentials.secret_key}`).toString('base64');
    return { authorization: `Basic ${token}` };
  },
  /** In the order of the ids, so that a contact that is added while the list is being read comes last. */
  request: ({ position, limit = MAX_ENTRIES }) => ({
    method: 'GET',
    path: `/v3/REST/contact?IsExcludedFromCampaigns=true&Sort=ID&Limit=${limit}&Offset=${position ?? 0}`,
  }),
  read(body, _list, position) {
    const items = arrayIn(body, 'Data');
    return items && pageAt(position, items);
  },
};
