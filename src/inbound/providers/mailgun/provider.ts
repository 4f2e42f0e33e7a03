import { hardToGuess } from '../hard-to-guess.js';
import type { Provider } from '../provider.js';
import { readMailgun } from './read.js';
import { verifyMailgun } from './verify.js';

/** Mailgun, by its webhooks: https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks */
export const mailgun = {
  name: 'mailgun',
  secrets: [
    {
      name: 'signing_key',
      description: 'The HTTP webhook signing key of the Mailgun account.',
      madeBy: 'provider',
      // Mailgun does not say what its keys look like.
      problemWith: hardToGuess('signing_key'),
    },
  ],
  options: ['emailIdField'],
  setup: [
    'Mailgun, Webhooks of the domain: add this URL, which must begin with https, because the body is not signed.',
    'Choose permanent failure, spam complaints, unsubscribes and delivered messages.',
    'Copy the HTTP webhook signing key into this source.',
  ],
  verify: verifyMailgun,
  read: readMailgun,
} as const satisfies Provider;
