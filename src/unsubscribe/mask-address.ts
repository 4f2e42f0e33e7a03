import type { EmailAddress } from '../email-address/email-address.js';

/** Shows enough for the owner to recognize the address, and too little for others to whom the message was forwarded. */
export function maskAddress(email: EmailAddress): string {
  const [first] = email;
  return `${first}•••${email.slice(email.lastIndexOf('@'))}`;
}
