import type { InvalidEmailAddress } from '../../email-address/invalid-email-address.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { UnsubscribeLink } from '../../unsubscribe-links/unsubscribe-links.service.js';
import type { FoundSuppression } from '../suppression-lookup.js';
import type { Match, Verdict } from '../verdict.js';

/** An address as the caller wrote it, and as it was parsed. */
export interface RequestedEmail {
  text: string;
  address: EmailAddress | InvalidEmailAddress;
}

export interface CheckedEmail {
  text: string;
  verdict: Verdict;
  /** The record of the address, if the verdict is `suppressed` and it has one. */
  suppression: FoundSuppression | null;
  /** All reasons, the deciding one first. */
  matches: readonly Match[];
  /** The recipient's link, if the caller asked for one and the verdict is `send`. */
  link?: UnsubscribeLink | undefined;
}
