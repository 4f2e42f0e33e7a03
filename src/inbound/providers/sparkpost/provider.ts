import { CREDENTIAL, verifyCredential } from '../credential.js';
import type { Provider } from '../provider.js';
import { readSparkpost } from './read.js';

/** SparkPost, by its event webhooks, which are not signed: https://developers.sparkpost.com/api/webhooks/ */
export const sparkpost = {
  name: 'sparkpost',
  secrets: CREDENTIAL,
  options: ['emailIdField'],
  setup: [
    'SparkPost, Webhooks: create a webhook with this URL as its target.',
    'Authentication: Basic, with the user name and the password of this source.',
    'Choose bounce, out_of_band, spam_complaint, list_unsubscribe, link_unsubscribe and delivery.',
  ],
  verify: verifyCredential,
  read: readSparkpost,
} as const satisfies Provider;
