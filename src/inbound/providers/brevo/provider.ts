import { CREDENTIAL, verifyCredential } from '../credential.js';
import { EMAIL_ID_FIELD } from '../source-option.js';
import { UNREPORTED, type Provider } from '../provider.js';
import { readBrevo } from './read.js';

/** Its reasons: https://developers.brevo.com/reference/get-transac-blocked-contacts */
const LIST = {
  name: "Brevo's blocklist",
  path: 'Contacts > the contact > Subscriptions > Transactional emails',
};

/** Brevo, by its transactional webhooks, which are not signed: https://developers.brevo.com/docs/transactional-webhooks */
export const brevo = {
  name: 'brevo',
  secrets: CREDENTIAL,
  options: [EMAIL_ID_FIELD],
  setup: [
    'In Brevo, open the webhooks of transactional emails and add a webhook with this URL.',
    'Put the username and the password of this source into the URL, or give the password as a bearer token.',
    'Select hard bounce, soft bounce, invalid email, blocked, complaint, unsubscribed and delivered.',
  ],
  suppressionLists: { bounce: LIST, complaint: LIST, unsubscribe: LIST, manual: UNREPORTED },
  verify: verifyCredential,
  read: readBrevo,
} as const satisfies Provider;
