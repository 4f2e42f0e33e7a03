import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository, type EntityManager } from 'typeorm';
import { afterCommit } from '../database/after-commit.js';
import { transactionBefore } from '../database/transaction.js';
import type { WriteContext } from '../database/write-context.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Actor } from '../ledger/actor.js';
import { changeParameters } from '../ledger/insert-changes.js';
import { Metrics } from '../metrics/metrics.js';
import type { ChangedPreference, Choice } from './choice.js';
import { contactIdOf } from './contact.js';
import { OptInNotAllowedError } from './errors.js';
import { SET, REVERT } from './preference-statements.js';
import { TopicPreference, type PreferenceChannel } from './topic-preference.entity.js';

@Injectable()
export class PreferencesRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(TopicPreference) private readonly preferences: Repository<TopicPreference>,
    private readonly metrics: Metrics,
  ) {}

  /** The address with a contact id, or null if it never had a preference. */
  async emailOf(accountId: number, contactId: string): Promise<EmailAddress | null> {
    const preference = await this.preferences.findOneBy({ accountId, contactId });
    return preference && preference.email;
  }

  find(accountId: number, email: EmailAddress): Promise<TopicPreference[]> {
    return this.preferences.findBy({ accountId, email });
  }

  /**
   * Stores choices, with a ledger line for each that differs from the stored one. Rows are locked in the order of
   * addresses and topics.
   *
   * @param choices - at most one for each address and topic
   * @param mayOptIn - whether to opt in over an opt-out, too, if the account guards removals
   * @returns the choices that differed
   */
  async set(
    accountId: number,
    actor: Actor,
    via: PreferenceChannel,
    choices: Choice[],
    context: WriteContext,
    mayOptIn = true,
  ): Promise<ChangedPreference[]> {
    const changes = await SET.write(this.dataSource, context, [
      ...changeParameters(accountId, actor),
      via,
      choices.map(({ email }) => email),
      choices.map(({ topicId }) => topicId),
      choices.map(({ subscription }) => subscription),
      choices.map(({ email }) => contactIdOf(accountId, email)),
      choices.map(({ emailId }) => emailId),
      choices.map(({ occurredAt }) => occurredAt),
      choices.map(({ eventId }) => eventId),
      choices.map(({ note }) => note),
      mayOptIn,
    ]);
    afterCommit(context, () => this.metrics.countChanges(actor.type, changes));
    return changes;
  }

  /**
   * Stores choices like {@link set}, unless the account guards one of them.
   *
   * @throws {OptInNotAllowedError} if the account guards removals and one of them opts in over an opt-out; then none is stored
   */
  async setGuarded(
    accountId: number,
    actor: Actor,
    via: PreferenceChannel,
    choices: Choice[],
    deadline: number,
  ): Promise<void> {
    const chosen = choices.filter(({ subscription }) => subscription === 'opt_in');
    const optIns = chosen.map(({ email, topicId }) => ({ accountId, email, topicId }));
    await transactionBefore(this.dataSource, deadline, async (transaction) => {
      await this.set(accountId, actor, via, choices, transaction, false);
      const where = optIns.map((optIn) => ({ ...optIn, subscription: 'opt_out' as const }));
      if (where.length > 0 && (await transaction.existsBy(TopicPreference, where))) {
        throw new OptInNotAllowedError();
      }
    });
  }

  /**
   * Reverts the opt-outs of an import that nobody has repeated or changed since. Rows are locked in the order of addresses.
   *
   * @param imported - the import, and the topic that it was for
   * @returns the number of opt-outs reverted
   */
  async revert(
    accountId: number,
    actor: Actor,
    { topicId, importId }: { topicId: string; importId: string },
    emails: EmailAddress[],
    note: string,
    transaction: EntityManager,
  ): Promise<number> {
    const parameters = [...changeParameters(accountId, actor), topicId, importId, emails, note];
    const changes = await REVERT.run(transaction, parameters);
    afterCommit(transaction, () => this.metrics.countChanges(actor.type, changes));
    return changes.length;
  }
}
