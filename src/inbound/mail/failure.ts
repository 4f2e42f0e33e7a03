import type { EmailAddress } from '../../email-address/email-address.js';

/** A recipient that a message could not be delivered to, and what mail servers said about it. */
export interface Failure {
  recipient: EmailAddress;
  status: string | null;
  diagnostic: string | null;
  words(): string;
  preamble: string;
  allWords: string;
}
