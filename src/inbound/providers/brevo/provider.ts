import { CREDENTIAL, verifyCredential } from '../credential.js';
import type { Provider } from '../provider.js';
import { readBrevo } from './read.js';

/** Brevo, by its transactional webhooks, which are not signed: https://developers.brevo.com/docs/transactional-webhooks */
export const brevo = {
  name: 'brevo',
  secrets: CREDENTIAL,
  options: ['emailIdField'],
  setup: [
    'Brevo, the webhooks of transactional emails: add a webhook with this URL.',
    'Put the user name and the password of this source into the URL, or give the password as a bearer token.',
    'Choose hard bounce, soft bounce, invalid email, blocked, complaint, unsubscribed and delivered.',
  ],
  verify: verifyCredential,
  read: readBrevo,
} as const satisfies Provider;
