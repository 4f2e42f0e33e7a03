import { CREDENTIAL, verifyCredential } from '../credential.js';
import { hardToGuess } from '../hard-to-guess.js';
import type { Provider } from '../provider.js';
import { RETURN_PATH_KEY } from './origin.js';
import { readMail } from './read.js';

/** A mail server of our own, which hands over the bounces and feedback reports that it receives, as they are. */
export const mail = {
  name: 'mail',
  secrets: [
    ...CREDENTIAL,
    {
      name: RETURN_PATH_KEY,
      description:
        'The key of signed return paths: "source verp" makes one, docs/sources.md has the formula.',
      madeBy: 'us',
      problemWith: hardToGuess(RETURN_PATH_KEY),
    },
  ],
  options: ['emailIdField', 'messageIdDomains', 'allowUnproven'],
  setup: [
    'Send with a return path that is signed by the return_path_key: "source verp" shows one, for any UUID of a mail.',
    'Let the mail server that receives bounces and feedback reports pipe each message to curl, which posts it to this URL.',
    'Give curl the user name and the password of this source in a file, and let the mail server try again when it fails.',
  ],
  takesMail: true,
  verify: verifyCredential,
  read: readMail,
} as const satisfies Provider;
