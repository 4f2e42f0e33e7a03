import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, Repository, type EntityManager } from 'typeorm';
import type { Identity } from '../audit/request-context.js';
import { afterCommit, type WriteContext } from '../database/transaction.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { changeParameters } from '../ledger/ledger-sql.js';
import { Metrics } from '../metrics/metrics.js';
import {
  CHOICES,
  FIND_EMAIL,
  REVERT,
  SET,
  type ChangedPreference,
  type Choice,
} from './preference-statements.js';
import { contactIdOf } from './contact.js';
import { TopicPreference, type PreferenceChannel } from './topic.entity.js';

export interface SetOptions {
  via: PreferenceChannel;
  /** Which choices may opt in over an opt-out: all, only those of an account that does not guard removals, or none. */
  optIns: 'any' | 'unguarded' | 'none';
  /** Choices that differ from a stored one, which the caller did not see, are not stored. */
  shown?: ShownChoices | undefined;
}

/** When an address chose for topics, as the caller saw it, by their ids; null if it never did. */
export type ShownChoices = ReadonlyMap<string, Date | null>;

@Injectable()
export class PreferencesRepository {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(TopicPreference) private readonly preferences: Repository<TopicPreference>,
    private readonly metrics: Metrics,
  ) {}

  /** The address with a contact id, or undefined if the id was never given out. */
  async emailOf(accountId: number, contactId: string): Promise<EmailAddress | undefined> {
    const [found] = await FIND_EMAIL.run(this.dataSource, [accountId, contactId]);
    return found?.email;
  }

  /** The choices of an address, which is stored under one of these names. */
  find(
    accountId: number,
    names: EmailAddress[],
    on: EntityManager = this.preferences.manager,
  ): Promise<TopicPreference[]> {
    return on.findBy(TopicPreference, { accountId, email: In(names) });
  }

  /**
   * Stores choices, with a ledger line for each that differs from the stored one. Rows are locked in the order of
   * addresses and topics.
   *
   * @param choices - at most one for each address and topic
   * @returns the choices that differed
   */
  async set(
    { accountId, actor }: Identity,
    choices: Choice[],
    { via, optIns, shown }: SetOptions,
    context: WriteContext,
  ): Promise<ChangedPreference[]> {
    const changes = await SET.write(this.dataSource, context, [
      ...changeParameters(accountId, actor),
      via,
      optIns,
      shown ? JSON.stringify(timesOf(shown)) : null,
      ...CHOICES.values(
        choices.map((choice) => ({
          ...choice,
          contactId: contactIdOf(accountId, choice.email),
          leftAt: choice.leftAt ?? null,
        })),
      ),
    ]);
    afterCommit(context, () => this.metrics.countChanges(actor.type, changes));
    return changes;
  }

  /**
   * Reverts the opt-outs of an import that nobody has repeated or changed since. Rows are locked in the order of addresses.
   *
   * @param imported - the import, the topic that it was for, and the note of the change
   * @returns the number of opt-outs reverted
   */
  async revert(
    { accountId, actor }: Identity,
    { topicId, importId, note }: { topicId: string; importId: string; note: string },
    emails: EmailAddress[],
    transaction: EntityManager,
  ): Promise<number> {
    const parameters = [...changeParameters(accountId, actor), topicId, importId, emails, note];
    const changes = await REVERT.run(transaction, parameters);
    afterCommit(transaction, () => this.metrics.countChanges(actor.type, changes));
    return changes.length;
  }
}

function timesOf(shown: ShownChoices): Record<string, string> {
  return Object.fromEntries([...shown].map(([topicId, at]) => [topicId, at?.toISOString() ?? '-infinity']));
}
