import type { EmailAddress } from '../email-address/email-address.js';
import type { Cause } from '../ledger/cause.js';
import type { RuleEffect } from '../rules/rule.entity.js';
import { matchesFor, type Facts, type Match, type Purpose, type Verdict } from '../suppressions/verdict.js';

/** The reason for a verdict, as `POST /suppressions/check` has it. */
export interface DecidedBy {
  type: Match['type'];
  id: string;
  cause?: Cause;
  topic?: string;
  effect?: RuleEffect;
}

export interface CheckedEmail {
  /** The address exactly as it was given. */
  email: string;
  verdict: Verdict;
  decided_by: DecidedBy | null;
}

export function firstOf<Found>(
  names: readonly EmailAddress[],
  find: (name: EmailAddress) => Found | null,
): Found | null {
  for (const name of names) {
    const found = find(name);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

export function decide(
  text: string,
  email: EmailAddress,
  facts: Facts,
  purpose: Purpose,
  pseudonym: EmailAddress | undefined,
): CheckedEmail {
  const [match] = matchesFor(email, facts, purpose, pseudonym);
  return { email: text, verdict: match?.verdict ?? 'send', decided_by: match ? toDecidedBy(match) : null };
}

function toDecidedBy(match: Match): DecidedBy {
  const { type, id } = match;
  switch (match.type) {
    case 'suppression':
      return { type, id, cause: match.cause };
    case 'rule':
      return { type, id, ...(match.topicId !== null && { topic: match.topicId }), effect: match.effect };
    default:
      return { type, id, topic: match.topicId };
  }
}
