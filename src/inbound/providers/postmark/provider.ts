import { CREDENTIAL, verifyCredential } from '../credential.js';
import type { Provider } from '../provider.js';
import { readPostmark } from './read.js';

/** Postmark, by its webhooks, which are not signed: https://postmarkapp.com/developer/webhooks/webhooks-overview */
export const postmark = {
  name: 'postmark',
  secrets: CREDENTIAL,
  options: ['emailIdField'],
  setup: [
    'Postmark, the server, the message stream, Webhooks: add a webhook with this URL, for each stream.',
    'Give the user name and the password of this source as its basic auth credentials.',
    'Choose Bounce, Spam Complaint, Subscription Change and Delivery; the content of the message is not needed.',
  ],
  verify: verifyCredential,
  read: readPostmark,
} as const satisfies Provider;
