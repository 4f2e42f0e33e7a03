import { CREDENTIAL, verifyCredential } from '../credential.js';
import { EMAIL_ID_FIELD } from '../source-option.js';
import type { Provider } from '../provider.js';
import { readPostmark } from './read.js';

/** Only Postmark itself removes a complaint: https://postmarkapp.com/support/article/1157-how-to-fix-spam-complaints */
const LIST = {
  name: "Postmark's suppression list",
  path: 'the server > the message stream > Suppressions',
};

/** Postmark, by its webhooks, which are not signed: https://postmarkapp.com/developer/webhooks/webhooks-overview */
export const postmark = {
  name: 'postmark',
  secrets: CREDENTIAL,
  options: [EMAIL_ID_FIELD],
  units: ['stream'],
  setup: [
    'In Postmark, open the message stream of the server, then Webhooks, and add a webhook with this URL. Repeat this for each stream.',
    'Enter the username and the password of this source as its basic auth credentials.',
    'Select Bounce, Spam Complaint, Subscription Change and Delivery. The content of the message is not needed.',
  ],
  suppressionLists: {
    bounce: LIST,
    complaint: { ...LIST, path: "a request to Postmark's support, when the recipient asks for it" },
    unsubscribe: LIST,
    manual: LIST,
  },
  verify: verifyCredential,
  read: readPostmark,
} as const satisfies Provider;
