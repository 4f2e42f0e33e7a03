import type { EmailAddress } from '../email-address/email-address.js';
import type { Topic } from '../topics/topic.entity.js';

/** What a recipient holds: a link in a message, or the address of a `mailto:` link. */
export interface Link {
  accountId: number;
  /** As it is stored: see `StoredNames`. */
  email: EmailAddress;
  /** The address that the message was sent to, unless only its pseudonym is known. */
  recipient: EmailAddress;
  /** May be archived. Null if the link unsubscribes from everything. */
  topic: Topic | null;
  emailId: string | null;
  /** SHA-256 of the token, in hexadecimal. */
  tokenHash: string;
}
