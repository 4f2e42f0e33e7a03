import type { EmailAddress } from '../../email-address/email-address.js';
import { QuotedAddress } from '../../email-address/quoted-address.js';
import type { Erasure } from './erasure.entity.js';

/** What an erasure looks for. */
export interface Subject {
  /** The name that the rows about the address have until then. */
  email: EmailAddress;
  quoted: QuotedAddress;
}

/** If the block of the address was kept, a complete erasure also looks for its pseudonym, which the rows about it have. */
export function subjectOf({ keepBlock, progress, pseudonym }: Erasure, address: EmailAddress): Subject {
  return progress!.wasKept && !keepBlock && address !== pseudonym
    ? { email: pseudonym, quoted: new QuotedAddress(address, pseudonym) }
    : { email: address, quoted: new QuotedAddress(address) };
}
