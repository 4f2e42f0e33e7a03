import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Identity, RequestContext } from '../audit/request-context.js';
import { transactionBefore, type WriteContext } from '../database/transaction.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { requireFound } from '../http/errors/api-error.js';
import { ValidationError } from '../http/errors/errors.js';
import type { Cursor, Page } from '../http/page.js';
import { StoredNames } from '../pseudonyms/stored-names.js';
import type { Consent } from '../ledger/evidence.js';
import type { Choice } from './preference-statements.js';
import {
  byName,
  contactIdOf,
  withChoices,
  type ContactRef,
  type ContactTopic,
  type TopicWithChoice,
} from './contact.js';
import { ContactNotFoundError, OptInNotAllowedError, UnseenChoiceError } from './errors.js';
import { PreferencesRepository, type SetOptions, type ShownChoices } from './preferences.repository.js';
import type { TopicRef } from './topic-ref.js';
import type { Subscription } from './topic.entity.js';
import { TopicsService } from './topics.service.js';

export interface RequestedSubscription {
  topic: TopicRef;
  subscription: Subscription;
}

export interface RequestedPreferences {
  topics: RequestedSubscription[];
  /** The evidence for an opt-in over an opt-out. */
  consent: Consent | null;
  note?: string | null | undefined;
  /** If a stored choice is another one than the caller saw, and differs from the requested one, nothing is stored. */
  shown?: ShownChoices;
}

export interface SetPreferences {
  contactId: string;
  topics: ContactTopic[];
}

interface ResolvedChoices {
  /** As they were requested. */
  set: ContactTopic[];
  /** One for each topic. */
  rows: Choice[];
}

/** The choices of recipients. An address that never chose has the default of each topic. */
@Injectable()
export class PreferencesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly topics: TopicsService,
    private readonly preferences: PreferencesRepository,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * All topics, newest first, with the subscriptions of the contact.
   *
   * @throws {ContactNotFoundError}
   */
  async page(accountId: number, contact: ContactRef, cursor: Cursor): Promise<Page<ContactTopic>> {
    const email = await this.emailOf(accountId, contact);
    const names = await this.storedNames.namesOf(accountId, email);
    const { elements, hasMore } = await this.topics.page(accountId, cursor);
    return { elements: withChoices(elements, await this.preferences.find(accountId, names)), hasMore };
  }

  /** All topics, sorted by name, with the subscriptions of an address, which is stored under one of these names. */
  async all(accountId: number, names: EmailAddress[]): Promise<TopicWithChoice[]> {
    const [topics, preferences] = await Promise.all([
      this.topics.findAll(accountId),
      this.preferences.find(accountId, names),
    ]);
    return withChoices(topics, preferences).toSorted(byName);
  }

  /**
   * The topics that the preference page offers, by name: public ones, those that the stored address chose for, and
   * the given one, even if it is archived.
   */
  async offeredTo(
    accountId: number,
    email: EmailAddress,
    topicId: string | undefined,
  ): Promise<TopicWithChoice[]> {
    const preferences = await this.preferences.find(accountId, [email]);
    const chosen = preferences.map((preference) => preference.topicId);
    const topics = await this.topics.findPublicAnd(accountId, chosen, topicId);
    return withChoices(topics, preferences).toSorted(byName);
  }

  /**
   * Stores a contact's choices, all or nothing.
   *
   * @param mayLift - whether the caller has the scope `suppressions:lift`
   * @throws {ContactNotFoundError}
   * @throws {TopicNotFoundError} if any of the topics does not exist
   * @throws {ValidationError} if two choices contradict each other
   * @throws {OptInNotAllowedError} in an account that guards removals
   * @throws {UnseenChoiceError} if somebody has chosen since the caller read the choices
   */
  async set(
    context: RequestContext,
    contact: ContactRef,
    { topics: requested, shown, ...texts }: RequestedPreferences,
    mayLift: boolean,
  ): Promise<SetPreferences> {
    const { accountId, actor, deadline } = context;
    const email = await this.emailOf(accountId, contact);
    const pseudonyms = await this.storedNames.forWriting(accountId, [email]);
    const stored = pseudonyms.get(email) ?? email;
    const { consent, note = null } = await this.storedNames.renameInTexts(accountId, texts, pseudonyms);
    const choices = await this.resolve(accountId, stored, requested, note);
    const { set, rows } = choices;
    const evidence = consent && { consent };
    const identity = { accountId, actor: { ...actor, evidence }, deadline };
    const isFree = rows.every(({ subscription }) => subscription === 'opt_out');
    const options = {
      via: 'api',
      optIns: isFree || (mayLift && consent) ? 'any' : 'unguarded',
      shown,
    } as const;
    await (options.optIns === 'any' && !shown
      ? this.preferences.set(identity, rows, options, { deadline })
      : this.setAllOrNothing(identity, stored, choices, options));
    return { contactId: contactIdOf(accountId, stored), topics: set };
  }

  /**
   * The choices that a new contact requests, for {@link add}.
   *
   * @throws {TopicNotFoundError} if any of the topics does not exist
   * @throws {ValidationError} if two choices contradict each other
   */
  async choicesOf(
    accountId: number,
    email: EmailAddress,
    requested: RequestedSubscription[],
  ): Promise<Choice[]> {
    return requested.length === 0 ? [] : (await this.resolve(accountId, email, requested)).rows;
  }

  /** Stores a new contact's choices. An opt-in does not replace an opt-out. */
  async add(identity: Identity, choices: Choice[], context: WriteContext): Promise<void> {
    if (choices.length > 0) {
      await this.preferences.set(identity, choices, { via: 'api', optIns: 'none' }, context);
    }
  }

  private async resolve(
    accountId: number,
    email: EmailAddress,
    requested: RequestedSubscription[],
    note: string | null = null,
  ): Promise<ResolvedChoices> {
    const refs = requested.map(({ topic }) => topic);
    const topics = await this.topics.findByRefs(accountId, refs);
    const set = topics.map((topic, index) => ({ topic, subscription: requested[index]!.subscription }));
    requireConsistent(set);
    const choices = new Map(
      set.map(({ topic, subscription }) => [topic.id, toChoice(email, topic.id, subscription, note)]),
    );
    return { set, rows: [...choices.values()] };
  }

  /**
   * Stores choices, all or nothing. A choice that was refused leaves the stored one unchanged and locked, so the second statement
   * finds it.
   */
  private async setAllOrNothing(
    context: RequestContext,
    email: EmailAddress,
    { set, rows }: ResolvedChoices,
    options: SetOptions,
  ): Promise<void> {
    const { accountId } = context;
    await transactionBefore(this.dataSource, context, async (transaction) => {
      await this.preferences.set(context, rows, options, transaction);
      const topics = set.map(({ topic }) => topic);
      const stored = withChoices(topics, await this.preferences.find(accountId, [email], transaction));
      const refused = stored.filter(({ subscription }, index) => subscription !== set[index]!.subscription);
      const unseen = refused.filter((choice) => isUnseen(choice, options.shown));
      if (unseen.length > 0) {
        throw new UnseenChoiceError(unseen.map(({ topic }) => topic.name));
      }
      if (refused.length > 0) {
        throw new OptInNotAllowedError();
      }
    });
  }

  /**
   * The address that the caller named, or the stored address of the contact id.
   *
   * @throws {ContactNotFoundError} if no contact has the id
   */
  async emailOf(accountId: number, contact: ContactRef): Promise<EmailAddress> {
    const email = 'email' in contact ? contact.email : await this.preferences.emailOf(accountId, contact.id);
    return requireFound(email, ContactNotFoundError);
  }
}

/** Refuses contradicting choices for one topic, which may be named both by its id and by its key. */
function requireConsistent(set: ContactTopic[]): void {
  const chosen = new Map<string, Subscription>();
  for (const [index, { topic, subscription }] of set.entries()) {
    if ((chosen.get(topic.id) ?? subscription) !== subscription) {
      const message = `must not contradict the other choice for the topic ${topic.key}`;
      throw ValidationError.ofField(`topics[${index}]`, message);
    }
    chosen.set(topic.id, subscription);
  }
}

function isUnseen({ topic, chosenAt }: TopicWithChoice, shown: ShownChoices | undefined): boolean {
  const seenAt = shown?.get(topic.id);
  return seenAt !== undefined && seenAt?.getTime() !== chosenAt?.getTime();
}

function toChoice(
  email: EmailAddress,
  topicId: string,
  subscription: Subscription,
  note: string | null,
): Choice {
  return { email, topicId, subscription, emailId: null, occurredAt: null, eventId: null, note };
}
