import { valueAt } from '../../inbound/parsing/json.js';
import { forEveryCause, type ListProvider } from './provider.js';

const API = 'https://mailchimp.com/developer/transactional/api/rejects';

/** https://mailchimp.com/developer/transactional/api/rejects/list-denylisted-emails/: there is no second page. */
const MAX_ENTRIES = 1_000;

export const mandrill: ListProvider = {
  scope: [
    {
      name: 'subaccount',
      meaning: 'The id of a subaccount. Without it, the list belongs to the whole account.',
      pattern: /^[\w.@+ -]{1,255}$/,
      problem: 'must be the id of a subaccount',
      default: null,
    },
  ],
  credentials: [{ name: 'api_key', meaning: 'An API key.' }],
  lists: [
    {
      list: 'rejects',
      format: 'mandrill',
      address: 'email',
      permission: 'rejects/list',
      source: `${API}/list-denylisted-emails/`,
    },
  ],
  /** Added entries never expire, and each removal costs reputation, so this list is only read. */
  additions: forEveryCause({ list: null, source: `${API}/add-email-to-denylist/` }),
  removals: [],
  pace: { ms: 0, source: 'one request reads the list' },
  owner: 'api_key',
  originOf: () => 'https://mandrillapp.com',
  refusal: { status: 500, body: /"Invalid_Key"/ },
  request: (_page, _list, { scope, credentials }) => ({
    method: 'POST',
    path: '/api/1.0/rejects/list.json',
    body: JSON.stringify({
      key: credentials.api_key,
      ...(scope.subaccount !== undefined && { subaccount: scope.subaccount }),
    }),
  }),
  /**
   * Without a subaccount, the response also has the entries of all subaccounts, which stop only the mail of their subaccount.
   */
  read(body, _list, _position, { subaccount }) {
    if (!Array.isArray(body)) {
      return null;
    }
    const items = body.filter((item) => {
      const of = valueAt(item, 'subaccount');
      return subaccount === undefined ? !of : of === subaccount;
    });
    return { items, next: null, isCut: body.length >= MAX_ENTRIES };
  },
};
