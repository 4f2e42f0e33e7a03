import { classify } from '../../../inbound/policy/classify.js';
import type { Cause } from '../../../ledger/cause.js';
import type { TopicVerdict } from '../../../suppressions/checks/verdicts.service.js';
import type { Match } from '../../../suppressions/verdict.js';
import { dayOf } from '../../components/timestamp.js';
import { actorText, listOf } from '../../components/words.js';
import type { AddressAnswer } from './address-answers.js';

/** More topics are counted instead of named: the table below the sentence has them all. */
const MAX_NAMES = 3;

export interface Sentence {
  tone: 'good' | 'bad' | 'warn';
  text: string;
  /** The matches that the text is about. */
  matches: readonly Match[];
}

/** The answer to "why does this person get no email?", in one sentence. */
export function sentenceFor(answer: AddressAnswer): Sentence {
  const [any] = answer.any;
  if (any?.verdict === 'suppressed') {
    const matches = [any, ...answer.transactional.slice(0, 1)].filter(
      (match) => match.verdict === 'suppressed',
    );
    return { tone: 'bad', text: suppressedSentence(any, answer), matches };
  }
  const blocked = answer.topics.filter(({ matches }) => isSuppressed(matches));
  if (blocked.length > 0) {
    const reasons = [...new Set(blocked.map(({ matches }) => reasonOf(matches[0]!, answer)))];
    const why = reasons.length === 1 ? `because ${reasons[0]}` : 'for the reasons in the table below';
    const text = `May be mailed, but not about ${topicsIn(blocked, answer)}, ${why}.`;
    return { tone: 'warn', text, matches: blocked.slice(0, MAX_NAMES).map(({ matches: [first] }) => first!) };
  }
  if (any?.type === 'rule' && answer.found) {
    const cause = reasonFor(answer.found.causes[0]!.cause, answer);
    const text = `May be mailed: ${reasonOf(any, answer)}, although ${cause}.`;
    return { tone: 'good', text, matches: [any] };
  }
  return { tone: 'good', text: 'May be mailed. Nothing suppresses this address.', matches: [] };
}

function suppressedSentence(any: Match, answer: AddressAnswer): string {
  const [transactional] = answer.transactional;
  const isAllSuppressed = transactional?.verdict === 'suppressed';
  const allowed = answer.topics.filter(({ matches }) => !isSuppressed(matches));
  const exceptions = [
    ...(isAllSuppressed ? [] : ['transactional']),
    ...(allowed.length > 0 ? [topicsIn(allowed, answer)] : []),
  ];
  const except = exceptions.length > 0 ? ` except ${listOf(exceptions)}` : '';
  const reason = reasonOf(any, answer);
  const other = isAllSuppressed ? reasonOf(transactional, answer) : reason;
  const even = other === reason ? '' : `; transactional mail also, because ${other}`;
  return `Suppressed for all mail${except}${sinceOf(any, answer)}, because ${reason}${even}.`;
}

export function isSuppressed([first]: readonly Match[]): boolean {
  return first?.verdict === 'suppressed';
}

/** `News and Offers`, or `12 of 250 topics`. */
function topicsIn(some: TopicVerdict[], { topics }: AddressAnswer): string {
  return some.length <= MAX_NAMES
    ? listOf(some.map(({ topic }) => topic.name))
    : `${some.length} of ${topics.length} topics`;
}

/** A clause that follows "because". */
export function reasonOf(match: Match, answer: AddressAnswer): string {
  switch (match.type) {
    case 'suppression':
      return reasonFor(match.cause, answer);
    case 'preference':
      return 'the recipient opted out';
    case 'topic_default':
      return 'the recipient did not opt in, and the topic needs it';
    case 'rule': {
      const pattern = answer.rules.find(({ id }) => id === match.id)?.pattern;
      return `a rule ${match.effect}s ${pattern ?? 'the address'}`;
    }
  }
}

function reasonFor(cause: Cause, { found, changes }: AddressAnswer): string {
  switch (cause) {
    case 'complaint':
      return 'the recipient marked a message as spam';
    case 'unsubscribe':
      return 'the recipient unsubscribed';
    case 'bounce':
      return bounceReason(found?.causes.find((known) => known.cause === 'bounce')?.note ?? null);
    case 'manual': {
      const change = changes.elements.find(
        (one) => one.cause === 'manual' && !one.action.includes('removed'),
      );
      return change ? `it was added by ${actorText(change)}` : 'somebody added it';
    }
  }
}

/** The words of the server, as the policy for bounces understands them. */
function bounceReason(note: string | null): string {
  const { bounceType, reason } = classify({ diagnostic: note });
  return bounceType === 'hard' ? reason : 'mail to it bounced';
}

/** Since when the deciding cause holds, or nothing if somebody lifted it while the page was made. */
function sinceOf(match: Match, { found }: AddressAnswer): string {
  const cause = found?.causes.find((one) => match.type === 'suppression' && one.cause === match.cause);
  return cause ? ` since ${dayOf(cause.since)}` : '';
}
