import type { Provider } from '../provider.js';
import { readResend } from './read.js';
import { problemWithSigningSecret, verifyResend } from './verify.js';

/** Resend, by its own webhooks, signed as Svix signs: https://resend.com/docs/webhooks/introduction */
export const resend = {
  name: 'resend',
  secrets: [
    {
      name: 'signing_secret',
      description: 'On the page of the webhook in the Resend dashboard: it begins with whsec_.',
      madeBy: 'provider',
      problemWith: problemWithSigningSecret,
    },
  ],
  options: ['emailIdField'],
  setup: [
    'Resend dashboard, Webhooks: add a webhook with this URL.',
    'Choose the events suppression.added and suppression.removed: they name the address, the origin and the email.',
    'Choose email.bounced, email.complained, email.suppressed, email.delivered and contact.updated as well.',
    'Copy the signing secret of the webhook into this source.',
  ],
  verify: verifyResend,
  read: readResend,
} as const satisfies Provider;
