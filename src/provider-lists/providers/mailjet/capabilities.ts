import type { AdditionCapability, ListCapability } from '../provider.js';

const API = 'https://dev.mailjet.com/email/reference/contacts/contact';
const ADDITION = { list: null, source: `${API}: an exclusion stops campaigns only, and creates a contact` };

/** Mailjet keeps blocked addresses, such as hard bounces, to itself: no request lists them. */
export const MAILJET_LISTS: readonly ListCapability[] = [
  {
    list: 'excluded_contacts',
    format: 'mailjet',
    address: 'email',
    permission: 'GET /v3/REST/contact',
    source: `${API}#v3_get_contact`,
  },
];

export const MAILJET_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', ...ADDITION },
  { cause: 'complaint', ...ADDITION },
  { cause: 'manual', ...ADDITION },
  { cause: 'unsubscribe', ...ADDITION },
];
