import { createSecretKey, type KeyObject } from 'node:crypto';
import type { EmailAddress } from '../email-address/email-address.js';
import { isPseudonym, maskedFilter, pseudonymOf } from '../pseudonyms/pseudonym.js';
import { RuleSet, type ActiveRule } from '../rules/rule-set.js';
import type { Purpose } from '../suppressions/verdict.js';
import { refuseUnknownOptions, UnknownTopicError } from './errors.js';
import type { Settings } from './stored-copy.js';

/** The purpose of a mail. */
export interface CheckOptions {
  /** The id or the key of the topic of the mail. */
  topic?: string;
  /** Whether the mail is transactional, so that the recipient needs it. Cannot be combined with `topic`. */
  transactional?: boolean;
}

export class SettingsIndex {
  private readonly ruleSets = new Map<string | null, RuleSet>();
  private ruleSetsExpireAt = Infinity;

  /** Undefined unless the account keeps blocks of erased addresses, and the API key may read the key that recognizes them. */
  readonly erasedAddresses: ErasedAddresses | undefined;

  constructor(readonly settings: Settings) {
    const { pseudonymKey } = settings;
    this.erasedAddresses = pseudonymKey ? new ErasedAddresses(pseudonymKey, settings) : undefined;
  }

  get keepsBlocks(): boolean {
    return (this.settings.keptBlocksVersion ?? null) !== null;
  }

  /**
   * @throws {UnknownTopicError}
   * @throws {TypeError} when an option is unknown, or is not of its type
   */
  purposeOf(options: CheckOptions): Purpose {
    if (typeof options !== 'object') {
      throw new TypeError("The options must be an object, such as { topic: 'news' }.");
    }
    const { topic, transactional = false, ...unknown } = options;
    refuseUnknownOptions(unknown, 'topic and transactional');
    if (typeof transactional !== 'boolean') {
      throw new TypeError('The option transactional must be true or false.');
    }
    if (topic === undefined) {
      const { complaintReach } = this.settings;
      return transactional ? { type: 'transactional', complaintReach } : { type: 'any' };
    }
    if (transactional) {
      throw new TypeError('A mail is either for a topic or transactional.');
    }
    const found = this.settings.topics.find(({ id, key }) => id === topic.toLowerCase() || key === topic);
    if (!found) {
      throw new UnknownTopicError();
    }
    return { type: 'topic', topicId: found.id, defaultSubscription: found.default_subscription };
  }

  /** The rules in force for the mail of a topic, or for mail without one. */
  rulesFor(topicId: string | null, now: number): RuleSet {
    if (now >= this.ruleSetsExpireAt) {
      this.ruleSets.clear();
      this.ruleSetsExpireAt = Infinity;
    }
    let ruleSet = this.ruleSets.get(topicId);
    if (!ruleSet) {
      ruleSet = new RuleSet(this.rulesInForce(topicId, now));
      this.ruleSets.set(topicId, ruleSet);
    }
    return ruleSet;
  }

  private rulesInForce(topicId: string | null, now: number): ActiveRule[] {
    const rules: ActiveRule[] = [];
    for (const { id, pattern, effect, topic, expires_at } of this.settings.rules) {
      const expiresAt = expires_at === null ? Infinity : Date.parse(expires_at);
      if (expiresAt > now && (topic === null || topic === topicId)) {
        this.ruleSetsExpireAt = Math.min(this.ruleSetsExpireAt, expiresAt);
        rules.push({ id, pattern, effect, topicId: topic });
      }
    }
    return rules;
  }
}

/** Recognizes erased addresses whose blocks the account keeps. */
export class ErasedAddresses {
  private readonly key: KeyObject;
  private readonly filters: ReadonlyMap<string, number>;
  private readonly hashes: ReadonlySet<number>;
  private readonly inRules: readonly string[];
  private compared: ReadonlySet<string> | undefined;
  private comparedSize = 0;
  private isComplete = false;

  constructor(key: string, { blockFilters, rules }: Settings) {
    this.key = createSecretKey(key, 'base64');
    this.filters = new Map(Object.entries(blockFilters ?? {}));
    this.hashes = new Set([...this.filters].map((entry) => maskedFilter(this.key, ...entry)));
    this.inRules = rules.map(({ pattern }) => pattern).filter(isPseudonym);
  }

  /**
   * The pseudonym that the address has if it was erased. Undefined if it certainly was not.
   *
   * @param filter - of the address, by `filterOf`
   * @param stored - the pseudonyms in the copy. A pseudonym without a filter is newer than the filters, and may belong to any
   *   address.
   */
  pseudonymOf(email: EmailAddress, filter: number, stored: ReadonlySet<string>): EmailAddress | undefined {
    if (stored !== this.compared || stored.size !== this.comparedSize) {
      this.compared = stored;
      this.comparedSize = stored.size;
      this.isComplete = [...stored, ...this.inRules].every((pseudonym) => this.filters.has(pseudonym));
    }
    return this.isComplete && !this.hashes.has(filter) ? undefined : pseudonymOf(this.key, email);
  }
}
