import { CREDENTIAL, hardToGuess, verifyCredential } from '../credential.js';
import { EMAIL_ID_FIELD } from '../source-option.js';
import type { MailProvider } from '../provider.js';
import { MESSAGE_ID_DOMAINS, RETURN_PATH_KEY, UNPROVEN_REPORTS } from './origin.js';
import { readMail } from './read.js';

const NO_LIST = {
  none: 'If your mail server relays through a provider, the provider may still have this address on a list of its own: remove it there.',
};

/** A mail server of the operator, which hands over the bounces and feedback reports that it receives. */
export const mail = {
  name: 'mail',
  secrets: [
    ...CREDENTIAL,
    {
      name: RETURN_PATH_KEY,
      description:
        'The key that signs return paths: "source verp" prints a signed one, and docs/providers/mail.md has the formula.',
      generatedBy: 'service',
      problemWith: hardToGuess(RETURN_PATH_KEY),
    },
  ],
  options: [EMAIL_ID_FIELD, MESSAGE_ID_DOMAINS, UNPROVEN_REPORTS],
  setup: [
    'Send mail with a return path that is signed with the return_path_key: "source verp" prints one for any UUID of an email.',
    'On the mail server that receives bounces and feedback reports, pipe each message to curl, and let curl post it to this URL.',
    'Give curl the username and the password of this source in a file. Let the mail server try again when curl fails.',
  ],
  suppressionLists: { bounce: NO_LIST, complaint: NO_LIST, unsubscribe: NO_LIST, manual: NO_LIST },
  takesMail: true,
  verify: verifyCredential,
  readMail,
} as const satisfies MailProvider;
