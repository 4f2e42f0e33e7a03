import type { TopicPreference } from './topic-preference.entity.js';
import type { Subscription, Topic } from './topic.entity.js';

/** So that "Part 2" comes before "Part 10". */
const NAMES = new Intl.Collator('en', { numeric: true });

/** A topic, and whether an address gets its mail. */
export interface ContactTopic {
  topic: Topic;
  subscription: Subscription;
}

/** A topic, and what an address chose for it. */
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

export function byName(one: ContactTopic, other: ContactTopic): number {
  return NAMES.compare(one.topic.name, other.topic.name) || (one.topic.id < other.topic.id ? -1 : 1);
}
