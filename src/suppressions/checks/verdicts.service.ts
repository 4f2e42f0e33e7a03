import { Injectable } from '@nestjs/common';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { ActiveRule } from '../../rules/rule-set.js';
import type { TopicWithChoice } from '../../topics/contact.js';
import { PreferencesService } from '../../topics/preferences.service.js';
import { StoredNames } from '../../pseudonyms/stored-names.js';
import { matchesFor, type Match, type Purpose } from '../verdict.js';
import { CheckLookup } from './check-lookup.js';

/** The matches for each kind of mail to an address, the deciding one first. */
export interface Verdicts {
  /** The matches for mail without a stated purpose. */
  any: readonly Match[];
  transactional: readonly Match[];
  /** Sorted by the name of the topic. */
  topics: TopicVerdict[];
  /** The rules that match the address, those of all topics included. */
  rules: readonly ActiveRule[];
}

export interface TopicVerdict extends TopicWithChoice {
  matches: readonly Match[];
}

/** Explains verdicts to people. Unlike the checks of mailers, this is not counted in the metrics. */
@Injectable()
export class VerdictsService {
  constructor(
    private readonly lookup: CheckLookup,
    private readonly preferences: PreferencesService,
    private readonly storedNames: StoredNames,
  ) {}

  async explain(accountId: number, email: EmailAddress): Promise<Verdicts> {
    const names = await this.storedNames.namesOf(accountId, email);
    const pseudonym = names.at(-1)!;
    const [{ records, rules: ruleSet, complaintReach }, topics] = await Promise.all([
      this.lookup.findForEveryPurpose(accountId, names),
      this.preferences.all(accountId, names),
    ]);
    const [found] = records;
    const record = found
      ? { id: found.record.id, causes: found.causes, heldUntil: found.heldUntil ?? null }
      : null;
    const rules = ruleSet.matching(email, pseudonym);
    const decide = (purpose: Purpose, choice: TopicWithChoice | null = null) => {
      const facts = {
        record,
        preference: choice?.chosenAt ? choice.subscription : null,
        rules: rules.filter(({ topicId }) => topicId === null || topicId === choice?.topic.id),
      };
      return matchesFor(email, facts, purpose, pseudonym);
    };
    return {
      any: decide({ type: 'any' }),
      transactional: decide({ type: 'transactional', complaintReach }),
      topics: topics.map((choice) => {
        const { id: topicId, defaultSubscription } = choice.topic;
        return { ...choice, matches: decide({ type: 'topic', topicId, defaultSubscription }, choice) };
      }),
      rules,
    };
  }
}
