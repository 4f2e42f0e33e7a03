import { InvalidEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import type { FoundSuppression } from './suppression-lookup.js';
import type { Verdict } from './verdict.js';

/** An address as the caller wrote it, and as it was parsed. */
export interface RequestedEmail {
  text: string;
  address: EmailAddress | InvalidEmailAddress;
}

/** Whether a requested address may be mailed. */
export interface CheckedEmail {
  text: string;
  verdict: Verdict;
  suppression: FoundSuppression | null;
}

export function checkEmail(
  { text, address }: RequestedEmail,
  suppression: FoundSuppression | null,
): CheckedEmail {
  if (address instanceof InvalidEmailAddress) {
    return { text, verdict: 'invalid', suppression: null };
  }
  return { text, verdict: suppression ? 'suppressed' : 'send', suppression };
}
