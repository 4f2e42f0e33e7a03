import { Injectable } from '@nestjs/common';
import type { AccountContext } from '../../audit/request-context.js';
import { InvalidEmailAddress, type EmailAddress } from '../../email-address/email-address.js';
import { Metrics } from '../../metrics/metrics.js';
import { KeptBlocksUnreadableError } from '../../pseudonyms/errors.js';
import { StoredNames, type Pseudonymized } from '../../pseudonyms/stored-names.js';
import { rulesByTopic, type ActiveRule } from '../../rules/rule-set.js';
import type { TopicWithChoice } from '../../topics/contact.js';
import { PreferencesService } from '../../topics/preferences.service.js';
import {
  UnsubscribeLinksService,
  type LinkedEmail,
  type UnsubscribeLink,
} from '../../unsubscribe-links/unsubscribe-links.service.js';
import type { FoundSuppression } from '../suppression-lookup.js';
import { matchesFor, type Match, type Purpose, type Verdict } from '../verdict.js';
import { CheckLookup, type Knowledge, type RecordWithCauses } from './check-lookup.js';
import type { AsOf, RequestedPurpose } from './check-request.js';
import { PastLookup } from './past-lookup.js';

/** An address as the caller wrote it, and as it was parsed. */
export interface RequestedEmail {
  text: string;
  address: EmailAddress | InvalidEmailAddress;
}

export interface CheckedEmail {
  /** As the caller wrote it, but without unpaired surrogates, which strict JSON parsers refuse. */
  text: string;
  verdict: Verdict;
  /** The record of the address, if the verdict is `suppressed` and it has one. */
  suppression: FoundSuppression | null;
  /** All reasons, the deciding one first. */
  matches: readonly Match[];
  /** The recipient's link, if the caller asked for one and the verdict is `send`. */
  link?: UnsubscribeLink | undefined;
}

/** Options for the unsubscribe links of the addresses that may be mailed. */
export type RequestedLinks = Pick<LinkedEmail, 'mailto'>;

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

@Injectable()
export class CheckService {
  constructor(
    private readonly lookup: CheckLookup,
    private readonly past: PastLookup,
    private readonly links: UnsubscribeLinksService,
    private readonly preferences: PreferencesService,
    private readonly metrics: Metrics,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * Checks whether addresses may be mailed, in the order requested.
   *
   * @param asOf - a time in the past; null for now
   * @throws {TopicNotFoundError}
   * @throws {CursorGoneError}
   */
  async check(
    accountId: number,
    requested: RequestedEmail[],
    purpose: RequestedPurpose,
    asOf: AsOf | null = null,
  ): Promise<CheckedEmail[]> {
    const emails = requested.map(({ address }) => address).filter((address) => typeof address === 'string');
    const pseudonyms = await this.pseudonymsOf(accountId, emails);
    const names = pseudonyms?.size ? [...emails, ...pseudonyms.values()] : emails;
    const knowledge = asOf
      ? await this.past.find(accountId, names, purpose, asOf)
      : await this.lookup.find(accountId, names, purpose);
    const records = new Map<unknown, RecordWithCauses>(
      knowledge.records.map((record) => [record.email, record]),
    );
    if (!pseudonyms && emails.some((email) => !records.has(email))) {
      throw new KeptBlocksUnreadableError();
    }
    const checked = requested.map((email) => checkEmail(email, records, knowledge, pseudonyms));
    this.metrics.countVerdicts(checked.map(({ verdict }) => verdict));
    return checked;
  }

  /** Null if the key of the account cannot be read. Then only addresses that are listed under their own name have a verdict. */
  private async pseudonymsOf(accountId: number, emails: EmailAddress[]): Promise<Pseudonymized | null> {
    try {
      return await this.storedNames.find(accountId, emails);
    } catch (error) {
      if (error instanceof KeptBlocksUnreadableError) {
        return null;
      }
      throw error;
    }
  }

  /**
   * Like {@link check}, but with links for the addresses that may be mailed.
   *
   * @throws {TopicNotFoundError}
   * @throws {UnsubscribeLinksUnavailableError}
   * @throws {UnsubscribeMailboxMissingError}
   */
  async checkWithLinks(
    context: AccountContext,
    requested: RequestedEmail[],
    purpose: RequestedPurpose,
    { mailto }: RequestedLinks,
  ): Promise<CheckedEmail[]> {
    const checked = await this.check(context.accountId, requested, purpose);
    const sendable = requested
      .filter((_email, index) => checked[index]!.verdict === 'send')
      .map(({ address }) => address as EmailAddress);
    const linkedEmail = { topic: purpose.type === 'topic' ? purpose.topic : null, emailId: null, mailto };
    const links = await this.links.create(context, [...new Set(sendable)], linkedEmail);
    const byEmail = new Map<unknown, UnsubscribeLink>(links.map((link) => [link.email, link]));
    return checked.map((email, index) => ({ ...email, link: byEmail.get(requested[index]!.address) }));
  }

  /** Explains verdicts to people. Unlike the checks of mailers, this is not counted in the metrics. */
  async explain(accountId: number, email: EmailAddress): Promise<Verdicts> {
    const names = await this.storedNames.namesOf(accountId, email);
    const pseudonym = names.at(-1)!;
    const [{ records, rules: ruleSet, complaintReach }, topics] = await Promise.all([
      this.lookup.findForEveryPurpose(accountId, names),
      this.preferences.all(accountId, names),
    ]);
    const [record = null] = records;
    const rules = ruleSet.matching(email, pseudonym);
    const rulesFor = rulesByTopic(rules);
    const decide = (purpose: Purpose, choice: TopicWithChoice | null = null) => {
      const facts = {
        record,
        preference: choice?.chosenAt ? choice.subscription : null,
        rules: rulesFor(choice?.topic.id ?? null),
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

function checkEmail(
  { text, address }: RequestedEmail,
  records: ReadonlyMap<unknown, RecordWithCauses>,
  { purpose, preferences, rules }: Knowledge,
  pseudonyms: Pseudonymized | null,
): CheckedEmail {
  if (address instanceof InvalidEmailAddress) {
    return { text: text.toWellFormed(), verdict: 'invalid', suppression: null, matches: [] };
  }
  const pseudonym = pseudonyms?.get(address) ?? address;
  const record = records.get(pseudonym) ?? records.get(address) ?? null;
  const facts = {
    record,
    preference: preferences.get(pseudonym) ?? preferences.get(address) ?? null,
    rules: rules.matching(address, pseudonym),
  };
  const matches = matchesFor(address, facts, purpose, pseudonym);
  const verdict = matches[0]?.verdict ?? 'send';
  const suppression = verdict === 'suppressed' ? record : null;
  return {
    text,
    verdict,
    suppression: suppression && pseudonym !== address ? { ...suppression, email: address } : suppression,
    matches,
  };
}
