import { classify } from '../../../inbound/policy/classify.js';
import type { Cause } from '../../../ledger/cause.js';
import type { Match } from '../../../suppressions/verdict.js';
import { dayOf } from '../../components/timestamp.js';
import type { AddressAnswer } from './address-answers.js';

export interface Sentence {
  tone: 'good' | 'bad' | 'warn';
  text: string;
}

/** The answer to "why does this person get no email?", in one sentence. */
export function sentenceFor(answer: AddressAnswer): Sentence {
  const [any] = answer.any;
  const [transactional] = answer.transactional;
  if (any?.verdict === 'suppressed') {
    const since = sinceOf(any, answer);
    const reason = reasonOf(any, answer);
    if (transactional?.verdict !== 'suppressed') {
      return {
        tone: 'bad',
        text: `Suppressed for all mail except transactional${since}, because ${reason}.`,
      };
    }
    const other = reasonOf(transactional, answer);
    const even = other === reason ? '' : `; transactional mail also, because ${other}`;
    return { tone: 'bad', text: `Suppressed for all mail${since}, because ${reason}${even}.` };
  }
  const blocked = answer.topics.filter(({ matches }) => matches[0]?.verdict === 'suppressed');
  if (blocked.length > 0) {
    const names = blocked.map(({ topic }) => topic.topic.name);
    const reasons = [...new Set(blocked.map(({ matches }) => reasonOf(matches[0]!, answer)))];
    return {
      tone: 'warn',
      text: `May be mailed, but not about ${listOf(names)}, because ${listOf(reasons)}.`,
    };
  }
  if (any?.type === 'rule' && answer.found) {
    const cause = reasonFor(answer.found.causes[0]!.cause, answer);
    return { tone: 'good', text: `May be mailed: ${reasonOf(any, answer)}, although ${cause}.` };
  }
  return { tone: 'good', text: 'May be mailed. Nothing suppresses this address.' };
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
      const change = changes.find((one) => one.cause === 'manual' && !one.action.includes('removed'));
      return change ? `it was added by ${change.actorName}` : 'somebody added it';
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

function listOf(parts: string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(parts);
}
