import { EMAIL_ID_FIELD } from '../source-option.js';
import { hardToGuess } from '../credential.js';
import { UNREPORTED, type Provider } from '../provider.js';
import { readMailgun } from './read.js';
import { verifyMailgun } from './verify.js';

/** Mailgun, by its webhooks: https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks */
export const mailgun = {
  name: 'mailgun',
  secrets: [
    {
      name: 'signing_key',
      description: 'The HTTP webhook signing key of the Mailgun account.',
      generatedBy: 'provider',
      // Mailgun does not document the format of its keys.
      problemWith: hardToGuess('signing_key'),
    },
  ],
  options: [EMAIL_ID_FIELD],
  units: ['tag'],
  setup: [
    'In Mailgun, open Sending > Webhooks of the domain and add this URL. It must begin with https, since the body is not signed.',
    'Select Permanent Failure, Spam Complaints, Unsubscribes and Delivered Messages.',
    'Copy the HTTP webhook signing key into this source.',
    'An unsubscribe stops all mail but transactional mail. If messages with a tag have no link but %tag_unsubscribe_url%, map the tag to a topic.',
  ],
  suppressionLists: {
    bounce: { name: "Mailgun's bounce list", path: 'Sending > Suppressions > Bounces, for the domain' },
    complaint: {
      name: "Mailgun's complaint list",
      path: 'Sending > Suppressions > Complaints, for the domain',
    },
    unsubscribe: {
      name: "Mailgun's unsubscribe list",
      path: 'Sending > Suppressions > Unsubscribes, for the domain',
    },
    manual: UNREPORTED,
  },
  verify: verifyMailgun,
  read: readMailgun,
} as const satisfies Provider;
