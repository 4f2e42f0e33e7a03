import type { Provider } from '../provider.js';
import { readSendgrid } from './read.js';
import { problemWithVerificationKey, verifySendgrid } from './verify.js';

/** SendGrid, by its Event Webhook: https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
export const sendgrid = {
  name: 'sendgrid',
  secrets: [
    {
      name: 'verification_key',
      description: 'The public key that SendGrid shows when the Signed Event Webhook is enabled.',
      madeBy: 'provider',
      problemWith: problemWithVerificationKey,
    },
  ],
  options: ['emailIdField', 'unsubscribeGroups'],
  setup: [
    'SendGrid, Settings, Mail Settings, Event Webhook: add a webhook with this URL.',
    'Choose Bounced, Dropped, Delivered, Spam Reports, Unsubscribes, and the group events.',
    'Enable the Signed Event Webhook and copy its public key into this source.',
  ],
  verify: verifySendgrid,
  read: readSendgrid,
} as const satisfies Provider;
