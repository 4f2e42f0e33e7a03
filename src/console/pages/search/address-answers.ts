import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../../accounts/accounts.service.js';
import type { EmailAddress } from '../../../email-address/email-address.js';
import { MAX_LIMIT } from '../../../http/page.js';
import { EventsService, type ListedEvent } from '../../../inbound/events.service.js';
import type { SuppressionChange } from '../../../ledger/suppression-change.entity.js';
import { RuleNotFoundError } from '../../../rules/errors.js';
import type { Rule } from '../../../rules/rule.entity.js';
import { RulesService } from '../../../rules/rules.service.js';
import { CheckService } from '../../../suppressions/check.service.js';
import { HistoryNotFoundError, SuppressionNotFoundError } from '../../../suppressions/errors.js';
import type { RequestedPurpose } from '../../../suppressions/requested-purpose.js';
import type { SuppressionRef } from '../../../suppressions/suppression-ref.js';
import {
  SuppressionsService,
  type SuppressionWithCauses,
} from '../../../suppressions/suppressions.service.js';
import type { Match } from '../../../suppressions/verdict.js';
import { PreferencesService, type ContactTopic } from '../../../topics/preferences.service.js';

const EVENTS = 25;
const CHANGES = 50;

/** Everything that an account knows about an address. */
export interface AddressAnswer {
  email: EmailAddress;
  found: SuppressionWithCauses | null;
  /** What decides about email without a topic, the deciding match first. */
  any: Match[];
  transactional: Match[];
  topics: { topic: ContactTopic; matches: Match[] }[];
  rules: Rule[];
  events: ListedEvent[];
  /** Whether lifting needs a note or a consent. */
  isGuarded: boolean;
  /** Newest first. */
  changes: SuppressionChange[];
}

/** Answers why somebody gets no email. */
@Injectable()
export class AddressAnswers {
  constructor(
    private readonly suppressions: SuppressionsService,
    private readonly checks: CheckService,
    private readonly preferences: PreferencesService,
    private readonly rules: RulesService,
    private readonly events: EventsService,
    private readonly accounts: AccountsService,
  ) {}

  /** @throws {HistoryNotFoundError} if no suppression ever had this id */
  async find(accountId: number, ref: SuppressionRef): Promise<AddressAnswer> {
    const email = 'email' in ref ? ref.email : await this.emailOf(accountId, ref);
    const [found, any, transactional, topics, events, changes, { removal }] = await Promise.all([
      this.findRecord(accountId, email),
      this.check(accountId, email, { type: 'any' }),
      this.check(accountId, email, { type: 'transactional' }),
      this.checkTopics(accountId, email),
      this.events.list(accountId, { email, limit: EVENTS }),
      this.history(accountId, email),
      this.accounts.getById(accountId),
    ]);
    const matches = [any, transactional, ...topics.map((one) => one.matches)].flat();
    const rules = await this.findRules(accountId, matches);
    return {
      email,
      found,
      any,
      transactional,
      topics,
      rules,
      events: events.elements,
      isGuarded: removal === 'guarded',
      changes,
    };
  }

  private async emailOf(accountId: number, ref: SuppressionRef): Promise<EmailAddress> {
    const { elements } = await this.suppressions.history(accountId, ref, 1);
    return elements[0]!.email;
  }

  private findRecord(accountId: number, email: EmailAddress): Promise<SuppressionWithCauses | null> {
    return this.suppressions.getWithCauses(accountId, { email }).catch(nullIf(SuppressionNotFoundError));
  }

  private async check(accountId: number, email: EmailAddress, purpose: RequestedPurpose): Promise<Match[]> {
    const [checked] = await this.checks.check(accountId, [{ text: email, address: email }], purpose);
    return [...checked!.matches];
  }

  private async checkTopics(accountId: number, email: EmailAddress): Promise<AddressAnswer['topics']> {
    const { elements } = await this.preferences.page(accountId, { email }, { limit: MAX_LIMIT });
    return Promise.all(
      elements.map(async (topic) => ({
        topic,
        matches: await this.check(accountId, email, { type: 'topic', topic: { id: topic.topic.id } }),
      })),
    );
  }

  private async findRules(accountId: number, matches: Match[]): Promise<Rule[]> {
    const ids = new Set(matches.filter(({ type }) => type === 'rule').map(({ id }) => id));
    const rules = await Promise.all(
      [...ids].map((id) => this.rules.get(accountId, { id }).catch(nullIf(RuleNotFoundError))),
    );
    return rules.filter((rule) => rule !== null);
  }

  private async history(accountId: number, email: EmailAddress): Promise<SuppressionChange[]> {
    const page = await this.suppressions
      .history(accountId, { email }, CHANGES)
      .catch(nullIf(HistoryNotFoundError));
    return page?.elements ?? [];
  }
}

function nullIf(errorClass: new () => Error): (error: unknown) => null {
  return (error) => {
    if (error instanceof errorClass) {
      return null;
    }
    throw error;
  };
}
