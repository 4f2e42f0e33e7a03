import type { AdditionCapability, ListCapability } from '../provider.js';

const API = 'https://mailchimp.com/developer/transactional/api/rejects';

export const MANDRILL_LISTS: readonly ListCapability[] = [
  {
    list: 'rejects',
    format: 'mandrill',
    address: 'email',
    permission: 'rejects/list',
    source: `${API}/list-denylisted-emails/`,
  },
];

/** Entries that are added never expire, and each removal costs reputation, so this list is only read. */
const ADDITION = { list: null, source: `${API}/add-email-to-denylist/` };

export const MANDRILL_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', ...ADDITION },
  { cause: 'complaint', ...ADDITION },
  { cause: 'manual', ...ADDITION },
  { cause: 'unsubscribe', ...ADDITION },
];
