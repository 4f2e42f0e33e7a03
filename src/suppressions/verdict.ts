import type { ComplaintReach } from '../accounts/account.entity.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Cause } from '../ledger/cause.js';
import type { ActiveRule } from '../rules/rule-set.js';
import type { RuleEffect } from '../rules/rule.entity.js';
import type { Subscription } from '../topics/topic.entity.js';

export const VERDICTS = ['send', 'suppressed', 'invalid'] as const;

export type Verdict = (typeof VERDICTS)[number];

/** The purpose of a mail. Mail without a stated purpose gets the strictest verdict, which is safe for every kind of mail. */
export type Purpose =
  | { type: 'any' }
  | { type: 'topic'; topicId: string; defaultSubscription: Subscription }
  | { type: 'transactional'; complaintReach: ComplaintReach };

export interface Facts {
  /** The record of the address, with all its causes. */
  record: { id: string; causes: readonly Cause[]; heldUntil?: string | null } | null;
  /** The recipient's choice for the topic of the mail. */
  preference: Subscription | null;
  /** The rules in force for this purpose that match the address, the most specific first. */
  rules: readonly ActiveRule[];
}

/** A reason to suppress or to send. */
export type Match = { verdict: 'send' | 'suppressed'; id: string } & (
  | {
      type: 'suppression';
      cause: Cause;
      /** When the hold of a bounce ends, in ISO 8601. Absent unless an incident holds it. */
      heldUntil?: string;
    }
  | { type: 'preference' | 'topic_default'; topicId: string }
  | { type: 'rule'; effect: RuleEffect; topicId: string | null }
);

const NO_MATCHES: readonly Match[] = [];

/**
 * Decides whether an address may be mailed. The first match decides; without a match, the verdict is `send`.
 *
 * | step | match | verdict |
 * |---|---|---|
 * | 1 | the recipient's own word: a complaint, an unsubscribe, an opt-out, or no opt-in where the topic needs one | suppressed |
 * | 2 | a manual record | suppressed |
 * | 3 | a rule for the address | as the rule says |
 * | 4 | the most specific rule for its domain or its local part, if that allows | send |
 * | 5 | a bounce | suppressed |
 * | 6 | that rule, if it blocks | suppressed |
 *
 * So an allow rule overrides what machines decided, never what a person decided.
 *
 * @param pseudonym - the name of an erased address in a rule for it alone
 * @returns all matches, the deciding one first; rules that a more specific one overrides come last
 */
export function matchesFor(
  email: EmailAddress,
  { record, preference, rules }: Facts,
  purpose: Purpose,
  pseudonym: EmailAddress = email,
): readonly Match[] {
  if (!record && rules.length === 0 && purpose.type !== 'topic') {
    return NO_MATCHES;
  }
  const exact = rules.filter(({ pattern }) => String(pattern) === email || String(pattern) === pseudonym);
  const [mostSpecific, ...overridden] = rules.slice(exact.length).map(toRuleMatch);
  const recordMatches = (cause: Cause): Match[] =>
    record?.causes.includes(cause)
      ? [
          {
            type: 'suppression',
            verdict: 'suppressed',
            id: record.id,
            cause,
            ...(cause === 'bounce' && record.heldUntil && { heldUntil: record.heldUntil }),
          },
        ]
      : [];
  const passesComplaints = purpose.type === 'transactional' && purpose.complaintReach === 'marketing';
  return [
    ...(passesComplaints ? [] : recordMatches('complaint')),
    ...(purpose.type === 'transactional' ? [] : recordMatches('unsubscribe')),
    ...(purpose.type === 'topic' ? topicMatches(preference, purpose) : []),
    ...recordMatches('manual'),
    ...exact.map(toRuleMatch),
    ...(mostSpecific?.verdict === 'send' ? [mostSpecific] : []),
    ...recordMatches('bounce'),
    ...(mostSpecific?.verdict === 'suppressed' ? [mostSpecific] : []),
    ...overridden,
  ];
}

function topicMatches(
  preference: Subscription | null,
  { topicId, defaultSubscription }: Extract<Purpose, { type: 'topic' }>,
): Match[] {
  const type = preference ? 'preference' : 'topic_default';
  return (preference ?? defaultSubscription) === 'opt_out'
    ? [{ type, verdict: 'suppressed', id: topicId, topicId }]
    : [];
}

function toRuleMatch({ id, effect, topicId }: ActiveRule): Match {
  return { type: 'rule', verdict: effect === 'allow' ? 'send' : 'suppressed', id, effect, topicId };
}
