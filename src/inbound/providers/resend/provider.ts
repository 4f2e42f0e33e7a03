import { EMAIL_ID_FIELD } from '../source-option.js';
import type { Provider } from '../provider.js';
import { readResend } from './read.js';
import { problemWithSigningSecret, verifyResend } from './verify.js';

const LIST = { name: "Resend's suppression list", path: 'Emails > Suppressions' };

/** Resend, by its webhooks: https://resend.com/docs/webhooks/introduction */
export const resend = {
  name: 'resend',
  secrets: [
    {
      name: 'signing_secret',
      description: 'The signing secret on the page of the webhook; it begins with whsec_.',
      generatedBy: 'provider',
      problemWith: problemWithSigningSecret,
    },
  ],
  options: [EMAIL_ID_FIELD],
  units: ['topic'],
  setup: [
    'In the Resend dashboard, open Webhooks and add a webhook with this URL.',
    'Select the events suppression.added and suppression.removed. They name the address, the origin and the email.',
    'Also select email.bounced, email.complained, email.suppressed and email.delivered.',
    'For unsubscribes, select contact.created, contact.updated and contact.topics.updated.',
    'Copy the signing secret of the webhook into this source.',
  ],
  suppressionLists: {
    bounce: LIST,
    complaint: LIST,
    unsubscribe: { name: "Resend's list of unsubscribed contacts", path: 'Audience > the contact' },
    manual: LIST,
  },
  verify: verifyResend,
  read: readResend,
} as const satisfies Provider;
