import { v5 as uuidv5 } from 'uuid';
import { parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { refPipe } from '../http/pipes.js';
import { Invalid } from '../validation/parsers.js';
import type { Subscription, Topic, TopicPreference } from './topic.entity.js';

const NAMESPACE = '7c5b0a3e-52c4-4d0e-9a2b-6a3f0b8f1d27';

/** How a caller names a contact: by its address, or by its id. */
export type ContactRef = { id: string } | { email: EmailAddress };

/**
 * The contact id of an address. It can be derived for every address, but an address can be found only by an id that is stored.
 */
export function contactIdOf(accountId: number, email: EmailAddress): string {
  return uuidv5(`${accountId}:${email}`, NAMESPACE);
}

export const ContactRefPipe = refPipe('contact', (text): ContactRef | Invalid => {
  const email = parseEmailAddress(text);
  return email instanceof Invalid
    ? new Invalid(`must be the id of a contact (a UUID) or an email address: it ${email.problem}`)
    : { email };
});

/** A topic, with the subscription of an address. */
export interface ContactTopic {
  topic: Topic;
  subscription: Subscription;
}

/** A topic, with the choice of an address. */
export interface TopicWithChoice extends ContactTopic {
  /** When the address chose; null if it never did, so that the default of the topic applies. */
  chosenAt: Date | null;
}

/** The subscription of an address to each topic: its own choice, or the default of the topic. */
export function withChoices(topics: Topic[], preferences: TopicPreference[]): TopicWithChoice[] {
  const chosen = new Map(preferences.map((preference) => [preference.topicId, preference]));
  return topics.map((topic) => ({
    topic,
    subscription: chosen.get(topic.id)?.subscription ?? topic.defaultSubscription,
    chosenAt: chosen.get(topic.id)?.updatedAt ?? null,
  }));
}

/** Sorts "Part 2" before "Part 10". */
const NAMES = new Intl.Collator('en', { numeric: true });

export function byName(one: ContactTopic, other: ContactTopic): number {
  return NAMES.compare(one.topic.name, other.topic.name) || (one.topic.id < other.topic.id ? -1 : 1);
}
