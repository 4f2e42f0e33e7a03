import { RuleBook, type BookedRule } from '../rules/rule-book.js';
import type { Purpose } from '../suppressions/verdict.js';
import { UnknownTopicError } from './errors.js';
import type { Settings } from './stored-copy.js';

/** What a mail is for. */
export interface CheckOptions {
  /** The id or the key of the topic of the mail. */
  topic?: string;
  /** Whether the recipient needs the mail. Not together with `topic`. */
  transactional?: boolean;
}

/** Settings in the form in which a check needs them. */
export class SettingsIndex {
  private readonly books = new Map<string | null, RuleBook>();
  /** When the next rule expires. */
  private booksEnd = Infinity;

  constructor(readonly settings: Settings) {}

  /** @throws {UnknownTopicError} */
  purposeOf({ topic, transactional = false }: CheckOptions): Purpose {
    if (topic === undefined) {
      const { complaintReach } = this.settings;
      return transactional ? { type: 'transactional', complaintReach } : { type: 'any' };
    }
    if (transactional) {
      throw new TypeError('A mail is either for a topic or transactional.');
    }
    const found = this.settings.topics.find(({ id, key }) => id === topic || key === topic);
    if (!found) {
      throw new UnknownTopicError();
    }
    return { type: 'topic', topicId: found.id, defaultSubscription: found.default_subscription };
  }

  /** The rules in force for the mail of a topic, or for mail without one. */
  rulesFor(topicId: string | null, now: number): RuleBook {
    if (now >= this.booksEnd) {
      this.books.clear();
      this.booksEnd = Infinity;
    }
    let book = this.books.get(topicId);
    if (!book) {
      book = new RuleBook(this.rulesInForce(topicId, now));
      this.books.set(topicId, book);
    }
    return book;
  }

  private rulesInForce(topicId: string | null, now: number): BookedRule[] {
    const rules: BookedRule[] = [];
    for (const { id, pattern, effect, topic, expires_at } of this.settings.rules) {
      const expiresAt = expires_at === null ? Infinity : Date.parse(expires_at);
      if (expiresAt > now && (topic === null || topic === topicId)) {
        this.booksEnd = Math.min(this.booksEnd, expiresAt);
        rules.push({ id, pattern, effect, topicId: topic });
      }
    }
    return rules;
  }
}
