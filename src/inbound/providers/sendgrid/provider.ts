import { EMAIL_ID_FIELD } from '../source-option.js';
import { UNREPORTED, type Provider } from '../provider.js';
import { readSendgrid } from './read.js';
import { problemWithVerificationKey, verifySendgrid } from './verify.js';

/** SendGrid, by its Event Webhook: https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
export const sendgrid = {
  name: 'sendgrid',
  secrets: [
    {
      name: 'verification_key',
      description: 'The public key that SendGrid shows once the Signed Event Webhook is enabled.',
      generatedBy: 'provider',
      problemWith: problemWithVerificationKey,
    },
  ],
  options: [EMAIL_ID_FIELD],
  units: ['group'],
  setup: [
    'In SendGrid, open Settings > Mail Settings > Event Webhooks and create a webhook with this URL.',
    'Select Bounced, Dropped, Delivered, Spam Reports, Unsubscribes, Group Unsubscribes and Group Resubscribes.',
    'Enable the Signed Event Webhook, and copy its public key into this source.',
  ],
  suppressionLists: {
    bounce: { name: "SendGrid's bounce list", path: 'Suppressions > Bounces, or Suppressions > Invalid' },
    complaint: { name: "SendGrid's list of spam reports", path: 'Suppressions > Spam Reports' },
    unsubscribe: { name: "SendGrid's list of unsubscribes", path: 'Suppressions > Global Unsubscribes' },
    manual: UNREPORTED,
  },
  verify: verifySendgrid,
  read: readSendgrid,
} as const satisfies Provider;
