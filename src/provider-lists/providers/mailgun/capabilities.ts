import type { AdditionCapability, ListCapability } from '../provider.js';

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
  { cause: 'bounce', list: 'bounces', source: `${API}/bounces` },
  { cause: 'complaint', list: 'complaints', source: `${API}/complaints` },
  { cause: 'manual', list: null, source: 'as the export in the format mailgun, which has no manual entries' },
];
