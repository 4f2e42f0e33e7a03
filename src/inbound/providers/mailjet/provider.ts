import { CREDENTIAL, verifyCredential } from '../credential.js';
import type { Provider } from '../provider.js';
import { readMailjet } from './read.js';

/** Mailjet, by its Event API, which is not signed: https://dev.mailjet.com/email/guides/webhooks/ */
export const mailjet = {
  name: 'mailjet',
  secrets: CREDENTIAL,
  options: ['emailIdField', 'unsubscribeGroups'],
  setup: [
    'Mailjet, account preferences, Event tracking: set this URL for the events bounce, blocked, spam, unsub and sent.',
    'Put the user name and the password of this source into the URL.',
    'Group the events, so that many arrive in one request.',
  ],
  verify: verifyCredential,
  read: readMailjet,
} as const satisfies Provider;
