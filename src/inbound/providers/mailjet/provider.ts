import { CREDENTIAL, verifyCredential } from '../credential.js';
import { EMAIL_ID_FIELD } from '../source-option.js';
import { UNREPORTED, type Provider } from '../provider.js';
import { CONTACT_LISTS, readMailjet } from './read.js';

const BLOCKED = { name: "Mailjet's list of blocked addresses", path: 'a ticket to the support of Mailjet' };

/** Mailjet, by its Event API, which is not signed: https://dev.mailjet.com/email/guides/webhooks/ */
export const mailjet = {
  name: 'mailjet',
  secrets: CREDENTIAL,
  options: [EMAIL_ID_FIELD, CONTACT_LISTS],
  units: ['list'],
  setup: [
    'In Mailjet, open Account settings > Event notifications (webhooks) and set this URL for the events bounce, blocked, spam, unsub and sent.',
    'Put the username and the password of this source into the URL.',
    'Select "Group events", so that many events arrive in one request.',
  ],
  suppressionLists: {
    bounce: BLOCKED,
    complaint: BLOCKED,
    unsubscribe: { name: "Mailjet's contact list", path: 'Contacts > the list > the contact' },
    manual: UNREPORTED,
  },
  verify: verifyCredential,
  read: readMailjet,
} as const satisfies Provider;
