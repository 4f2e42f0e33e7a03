import { actorText } from '../../../audit/actor.js';
import { actorIn } from '../../../audit/actor-columns.js';
import { classify } from '../../../inbound/policy/classify.js';
import type { Cause } from '../../../ledger/cause.js';
import type { TopicVerdict } from '../../../suppressions/checks/check.service.js';
import type { Match } from '../../../suppressions/verdict.js';
import { dayOf, minuteOf } from '../../components/content.js';
import { capitalized, listOf } from '../../components/words.js';
import type { AddressAnswer } from './address-answers.js';

/** If there are more topics, they are counted instead of named. The table below the sentence lists all. */
const MAX_NAMES = 3;
const TRANSACTIONAL = 'transactional mail (such as password resets)';

export interface Headline {
  tone: 'good' | 'bad' | 'warn';
  /** One or two sentences. */
  sentences: string[];
  /** The matches that the sentences are about. */
  matches: readonly Match[];
}

/** The answer to "why does this person get no email?" */
export function headlineFor(answer: AddressAnswer): Headline {
  const [any] = answer.any;
  if (any?.verdict === 'suppressed') {
    const matches = [any, ...answer.transactional.slice(0, 1)].filter(
      (match) => match.verdict === 'suppressed',
    );
    return { tone: 'bad', sentences: suppressedSentences(any, answer), matches };
  }
  const blocked = answer.topics.filter(({ matches }) => isSuppressed(matches));
  if (blocked.length > 0) {
    const reasons = [...new Set(blocked.map(({ matches }) => reasonOf(matches[0]!, answer)))];
    const why = reasons.length === 1 ? `because ${reasons[0]}` : 'for the reasons in the table below';
    const text = `May be mailed, but not about ${topicsIn(blocked, answer)}, ${why}.`;
    return {
      tone: 'warn',
      sentences: [text],
      matches: blocked.slice(0, MAX_NAMES).map(({ matches: [first] }) => first!),
    };
  }
  if (any?.type === 'rule' && answer.record) {
    const cause = reasonFor(answer.record.causes[0]!.cause, answer);
    const text = `May be mailed: ${reasonOf(any, answer)}, although ${cause}.`;
    return { tone: 'good', sentences: [text], matches: [any] };
  }
  return {
    tone: answer.similar ? 'warn' : 'good',
    sentences: ['May be mailed. Nothing suppresses this address.'],
    matches: [],
  };
}

/** What stops marketing mail and what stops transactional mail are separate sentences, unless it is the same. */
function suppressedSentences(any: Match, answer: AddressAnswer): string[] {
  const [transactional] = answer.transactional;
  const allowed = answer.topics.filter(({ matches }) => !isSuppressed(matches));
  const except = allowed.length > 0 ? ` except ${topicsIn(allowed, answer)}` : '';
  const why = (match: Match) => `${sinceOf(match, answer)}, because ${reasonOf(match, answer)}.`;
  if (transactional?.verdict !== 'suppressed') {
    return [
      `Suppressed for marketing mail${except}${why(any)}`,
      `${capitalized(TRANSACTIONAL)} may be sent.`,
    ];
  }
  return why(transactional) === why(any)
    ? [`Suppressed for all mail${except}${why(any)}`]
    : [
        `Suppressed for marketing mail${except}${why(any)}`,
        `Suppressed for ${TRANSACTIONAL}${why(transactional)}`,
      ];
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
      return match.heldUntil
        ? `${reasonFor(match.cause, answer)}, held until ${minuteOf(new Date(match.heldUntil))} because of an incident`
        : reasonFor(match.cause, answer);
    case 'preference':
      return 'an opt-out is stored';
    case 'topic_default':
      return 'the recipient did not opt in, and the topic requires an opt-in';
    case 'rule': {
      const pattern = answer.rules.find(({ id }) => id === match.id)?.pattern;
      return `a rule ${match.effect}s ${pattern ?? 'the address'}`;
    }
  }
}

function reasonFor(cause: Cause, { record, changes }: AddressAnswer): string {
  switch (cause) {
    case 'complaint':
      return 'the recipient marked a message as spam';
    case 'unsubscribe':
      return 'the recipient unsubscribed';
    case 'bounce':
      return bounceReason(record?.causes.find((known) => known.cause === 'bounce')?.note ?? null);
    case 'manual': {
      const change = changes.elements.find(
        ({ cause: changed, action }) => changed === 'manual' && !action.includes('removed'),
      );
      return change ? `it was added by ${actorText(actorIn(change))}` : 'somebody added it';
    }
  }
}

/** The reason for a bounce, as the bounce policy classifies the server's reply. */
function bounceReason(note: string | null): string {
  const { bounceType, reason } = classify({ diagnostic: note });
  return bounceType === 'hard' || bounceType === 'listed' ? reason : 'mail to it bounced';
}

/** The date of the deciding cause. Empty if the cause was lifted while the page was being made. */
function sinceOf(match: Match, { record }: AddressAnswer): string {
  const cause = record?.causes.find((known) => match.type === 'suppression' && known.cause === match.cause);
  return cause ? ` since ${dayOf(cause.since)}` : '';
}
