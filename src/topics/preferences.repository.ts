import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { afterCommit } from '../database/after-commit.js';
import { PreparedStatement, type WriteContext } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Actor } from '../ledger/actor.js';
import { changeParameters, insertChanges } from '../ledger/insert-changes.js';
import { Metrics, type CountedChange } from '../metrics/metrics.js';
import { contactIdOf } from './contact.js';
import { TopicPreference, type PreferenceChannel } from './topic-preference.entity.js';
import type { Subscription } from './topic.entity.js';

/** What a recipient chose for a topic. */
export interface Choice {
  email: EmailAddress;
  topicId: string;
  subscription: Subscription;
  /** The mail in which the recipient chose. */
  emailId: string | null;
  /** When it happened, as far as that is known and differs from now. */
  occurredAt: Date | null;
  /** The delivery event that reported it. */
  eventId: string | null;
  note: string | null;
}

/** Stores the choices that differ from what is stored, with a line of the ledger each. */
const SET = new PreparedStatement<CountedChange>(
  'set-topic-preferences',
  `WITH choice AS (
    SELECT *
    FROM unnest(
      $7::text[] COLLATE "C", $8::uuid[], $9::topic_subscription[], $10::uuid[], $11::uuid[],
      $12::timestamptz[], $13::uuid[], $14::text[]
    ) AS choice (email, topic_id, subscription, contact_id, email_id, occurred_at, event_id, note)
  ),
  written AS (
    INSERT INTO topic_preferences (account_id, email, topic_id, subscription, contact_id, email_id, via)
    SELECT $1, email, topic_id, subscription, contact_id, email_id, $6
    FROM choice
    ORDER BY email, topic_id
    ON CONFLICT (account_id, email, topic_id) DO UPDATE
    SET subscription = excluded.subscription,
        email_id = excluded.email_id,
        via = excluded.via,
        updated_at = clock_timestamp()
    WHERE topic_preferences.subscription <> excluded.subscription
    RETURNING email, topic_id
  ),
  change AS (
    SELECT
      choice.*,
      NULL::uuid AS suppression_id,
      NULL::suppression_cause AS cause,
      (CASE subscription WHEN 'opt_in' THEN 'opted_in' ELSE 'opted_out' END)::suppression_action AS action
    FROM written
    JOIN choice USING (email, topic_id)
  ),
  ${insertChanges('change', { topicId: 'topic_id' })}
  SELECT action, cause FROM logged`,
);

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

  /** The choices of an address. */
  find(accountId: number, email: EmailAddress): Promise<TopicPreference[]> {
    return this.preferences.findBy({ accountId, email });
  }

  /**
   * Stores choices, with a line of the ledger for each that differs from the one stored. Rows are locked in the order of
   * addresses and topics.
   *
   * @param choices - at most one for each address and topic
   * @returns how many of them differed
   */
  async set(
    accountId: number,
    actor: Actor,
    via: PreferenceChannel,
    choices: Choice[],
    context: WriteContext,
  ): Promise<number> {
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
    ]);
    afterCommit(context, () => this.metrics.countChanges(actor.type, changes));
    return changes.length;
  }
}
