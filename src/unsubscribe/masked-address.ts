import type { EmailAddress } from '../email-address/email-address.js';

/** Enough of an address for its owner to recognise it, too little for whoever got the message forwarded. */
export function maskedAddress(email: EmailAddress): string {
  const [first] = email;
  return `${first}•••${email.slice(email.lastIndexOf('@'))}`;
}
