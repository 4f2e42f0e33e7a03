import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { requireScope } from '../api-keys/errors.js';
import { allows, type Scope } from '../api-keys/scopes.js';
import type { RequestContext } from '../audit/request-context.js';
import { isDatabaseUnavailable } from '../database/errors.js';
import { transactionBefore } from '../database/transaction.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { ValidationError } from '../http/errors/errors.js';
import type { Consent } from '../ledger/evidence.js';
import { AddressBeingErasedError } from '../pseudonyms/errors.js';
import { StoredNames } from '../pseudonyms/stored-names.js';
import { AdditionsService } from '../suppressions/additions/additions.service.js';
import { RemovalsService } from '../suppressions/removals.service.js';
import { contactIdOf, type ContactRef } from '../topics/contact.js';
import { ContactNotFoundError } from '../topics/errors.js';
import { PreferencesService, type RequestedSubscription } from '../topics/preferences.service.js';
import { ContactsRepository } from './contacts.repository.js';

const CAUSE = 'unsubscribe';

export interface ContactState {
  id: string;
  email: EmailAddress;
  createdAt: Date;
  isUnsubscribed: boolean;
}

export interface NewContact {
  email: EmailAddress;
  isUnsubscribed: boolean;
  topics: RequestedSubscription[];
}

export interface ContactChanges {
  /** If given, it must be the address of the contact. */
  email: EmailAddress | null;
  /** Null to leave it unchanged. */
  isUnsubscribed: boolean | null;
  /** The evidence for a resubscribe. */
  consent: Consent | null;
  note: string | null;
}

/** Contacts as in Resend's API: an address of an account, and whether it is unsubscribed from everything. */
@Injectable()
export class ContactsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly contacts: ContactsRepository,
    private readonly preferences: PreferencesService,
    private readonly additions: AdditionsService,
    private readonly removals: RemovalsService,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * An address that was ever suppressed, or chose a topic, is a contact that nobody created. A caller that learns its id can
   * use the id from then on, unless the database was read-only.
   *
   * @throws {ContactNotFoundError}
   */
  async get(context: RequestContext, ref: ContactRef): Promise<ContactState> {
    const { accountId } = context;
    const email = await this.preferences.emailOf(accountId, ref);
    const names = await this.storedNames.namesOf(accountId, email);
    for (const name of names) {
      const found = await this.contacts.find(accountId, name);
      if (found) {
        if (!found.isRegistered) {
          await this.registerIfWritable(context, email, name);
        }
        const { createdAt, isUnsubscribed } = found;
        return { id: contactIdOf(accountId, name), email, createdAt, isUnsubscribed };
      }
    }
    throw new ContactNotFoundError();
  }

  /**
   * Creates a contact, or adds to one that exists, all or nothing. It ends neither an unsubscribe nor an opt-out; otherwise, a
   * program that copies its contacts here would end all of them.
   *
   * @returns the id of the contact
   * @throws {TopicNotFoundError}
   * @throws {RestrictedApiKeyError} if it has topics, and the key may not set them
   */
  async create(
    context: RequestContext,
    { email: given, isUnsubscribed, topics }: NewContact,
    scopes: readonly Scope[],
  ): Promise<string> {
    const { accountId } = context;
    if (topics.length > 0) {
      requireScope(scopes, 'topics:write');
    }
    const email = await this.storedNames.oneForWriting(accountId, given);
    const choices = await this.preferences.choicesOf(accountId, email, topics);
    return transactionBefore(this.dataSource, context, async (transaction) => {
      await this.preferences.add(context, choices, transaction);
      const id = await this.contacts.register(accountId, email, transaction);
      if (isUnsubscribed) {
        await this.additions.unsubscribe(context, { email, emailId: null }, transaction);
      }
      return id;
    });
  }

  /**
   * Unsubscribes a contact from everything, or ends that. Other causes of its suppression stay.
   *
   * @returns the id of the contact
   * @throws {ContactNotFoundError} if no contact has the id; an address needs none
   * @throws {RemovalNotAllowedError} in an account that guards removals
   */
  async update(
    context: RequestContext,
    ref: ContactRef,
    { email: named, isUnsubscribed, consent, note }: ContactChanges,
    scopes: readonly Scope[],
  ): Promise<string> {
    const { accountId } = context;
    const email = await this.preferences.emailOf(accountId, ref);
    if (
      named !== null &&
      named !== email &&
      (await this.storedNames.oneForReading(accountId, named)) !== email
    ) {
      const message = 'must be the address of the contact, which cannot change. Create another contact';
      throw ValidationError.ofField('email', message);
    }
    if (isUnsubscribed === true) {
      await this.additions.unsubscribe(context, { email, emailId: null, note }, context);
    }
    if (isUnsubscribed === false) {
      const mayLift = allows(scopes, 'suppressions:lift');
      const removal = { cause: CAUSE, note, consent, mayLift } as const;
      await this.removals.batchRemove(context, { emails: [email] }, removal, context);
    }
    const stored = await this.storedNames.oneForWriting(accountId, email);
    return this.contacts.register(accountId, stored, context);
  }

  /** Nothing is stored about an address while it is being erased, and nothing under its former name afterwards. */
  private async registerIfWritable(
    context: RequestContext,
    email: EmailAddress,
    name: EmailAddress,
  ): Promise<void> {
    const { accountId } = context;
    try {
      if ((await this.storedNames.oneForWriting(accountId, email)) === name) {
        await this.contacts.register(accountId, name, context);
      }
    } catch (error) {
      if (!(error instanceof AddressBeingErasedError) && !isDatabaseUnavailable(error)) {
        throw error;
      }
    }
  }
}
