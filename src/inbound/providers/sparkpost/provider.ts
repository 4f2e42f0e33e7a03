import { CREDENTIAL, verifyCredential } from '../credential.js';
import { EMAIL_ID_FIELD } from '../source-option.js';
import { UNREPORTED, type Provider } from '../provider.js';
import { readSparkpost } from './read.js';

/** https://support.sparkpost.com/docs/user-guide/using-suppression-lists */
const LIST = { name: "SparkPost's suppression list", path: 'Recipients > Suppressions' };

/** SparkPost, by its event webhooks, which are not signed: https://developers.sparkpost.com/api/webhooks/ */
export const sparkpost = {
  name: 'sparkpost',
  secrets: CREDENTIAL,
  options: [EMAIL_ID_FIELD],
  units: ['list'],
  setup: [
    'In SparkPost, open Configuration > Webhooks and create a webhook with this URL as its target.',
    'Set the authentication to Basic, with the username and the password of this source.',
    'Select bounce, out_of_band, spam_complaint, list_unsubscribe, link_unsubscribe and delivery.',
  ],
  suppressionLists: { bounce: LIST, complaint: LIST, unsubscribe: LIST, manual: UNREPORTED },
  verify: verifyCredential,
  read: readSparkpost,
} as const satisfies Provider;
