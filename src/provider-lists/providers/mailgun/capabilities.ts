import type { AdditionCapability, ListCapability, RemovalCapability } from '../provider.js';

const API = 'https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun';

export const MAILGUN_LISTS: readonly ListCapability[] = [
  {
    list: 'bounces',
    format: 'mailgun-bounces',
    address: 'address',
    permission: 'GET /v3/{domain}/bounces',
    source: `${API}/bounces`,
  },
  {
    list: 'complaints',
    format: 'mailgun-complaints',
    address: 'address',
    permission: 'GET /v3/{domain}/complaints',
    source: `${API}/complaints`,
  },
  {
    list: 'unsubscribes',
    format: 'mailgun-unsubscribes',
    address: 'address',
    permission: 'GET /v3/{domain}/unsubscribes',
    source: `${API}/unsubscribe`,
  },
];

export const MAILGUN_ADDITIONS: readonly AdditionCapability[] = [
  {
    cause: 'bounce',
    list: 'bounces',
    becomes: 'bounce',
    permission: 'POST /v3/{domain}/bounces',
    source: `${API}/bounces`,
  },
  {
    cause: 'complaint',
    list: 'complaints',
    becomes: 'complaint',
    permission: 'POST /v3/{domain}/complaints',
    source: `${API}/complaints`,
  },
  { cause: 'manual', list: null, source: 'as the export in the format mailgun, which has no manual entries' },
  {
    cause: 'unsubscribe',
    list: 'unsubscribes',
    becomes: 'unsubscribe',
    permission: 'POST /v3/{domain}/unsubscribes',
    source: `${API}/unsubscribe`,
  },
];

/** Each list has one cause. */
export const MAILGUN_REMOVALS: readonly RemovalCapability[] = [
  {
    list: 'bounces',
    permission: 'DELETE /v3/{domain}/bounces/{address}',
    hasBounces: true,
    refuses: [],
    source: `${API}/bounces`,
  },
  {
    list: 'complaints',
    permission: 'DELETE /v3/{domain}/complaints/{address}',
    refuses: [],
    source: `${API}/complaints`,
  },
  {
    list: 'unsubscribes',
    permission: 'DELETE /v3/{domain}/unsubscribes/{address}',
    refuses: [],
    source: `${API}/unsubscribe`,
  },
];
