import { Check, Column, Entity, Generated, Index, PrimaryColumn } from 'typeorm';
import { ActorColumns } from '../audit/actor-columns.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { CAUSES, type Cause } from './cause.js';
import type { Evidence } from './evidence.js';

export const ACTION_MEANINGS = {
  added: 'the address was put on the list',
  strengthened:
    'a stronger cause was added, which the suppression now shows, or its strongest cause got a later expiry',
  cause_added:
    'a weaker cause was added or got a later expiry, the recipient repeated an unsubscribe, or the expiry of a bounce changed ' +
    'because of an incident',
  cause_removed: 'one cause of several was removed',
  removed: 'the address was removed from the list',
  expired: 'the suppression reached its expiry',
  opted_in: 'the recipient opted in to a topic',
  opted_out: 'the recipient opted out of a topic',
};

export type Action = keyof typeof ACTION_MEANINGS;

export const ACTIONS = Object.keys(ACTION_MEANINGS) as Action[];

/** A ledger line, written by the statement that makes the change. */
@Entity('suppression_changes')
@Index('suppression_changes_account_id_email_revision_idx', ['accountId', 'email', 'revision'])
@Index('suppression_changes_account_id_suppression_id_idx', ['accountId', 'suppressionId'], {
  where: `action = 'added'`,
})
@Index('suppression_changes_later_changes_idx', { synchronize: false })
@Index('suppression_changes_bounce_removals_idx', { synchronize: false })
@Index('suppression_changes_removals_idx', { synchronize: false })
@Index('suppression_changes_choices_idx', { synchronize: false })
@Index('suppression_changes_note_idx', ['accountId', 'suppressionId', 'revision'], {
  where: 'note IS NOT NULL',
})
@Check('suppression_changes_note_check', 'char_length(note) <= 1000')
@Check(
  'suppression_changes_topic_id_check',
  'num_nonnulls(suppression_id, cause) = CASE WHEN topic_id IS NULL THEN 2 ELSE 0 END',
)
export class SuppressionChange extends ActorColumns {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  /**
   * Orders the changes of an address, whatever the clocks say. It comes from a sequence, while the statement holds the lock on
   * what it changes.
   */
  @Column('bigint')
  @Generated()
  revision!: string;

  @Column({ type: 'enum', enum: ACTIONS, enumName: 'suppression_action' })
  action!: Action;

  /** Null if a preference changed. */
  @Column('uuid', { name: 'suppression_id', nullable: true })
  suppressionId!: string | null;

  /** The topic whose preference changed. Null if the list changed. */
  @Column('uuid', { name: 'topic_id', nullable: true })
  topicId!: string | null;

  @Column({ type: 'text', collation: 'C' })
  email!: EmailAddress;

  /** The cause that was added or removed; the strongest one, if the record was. Null if a preference changed. */
  @Column({ type: 'enum', enum: [...CAUSES], enumName: 'suppression_cause', nullable: true })
  cause!: Cause | null;

  @Column('uuid', { name: 'email_id', nullable: true })
  emailId!: string | null;

  @Column('uuid', { name: 'event_id', nullable: true })
  eventId!: string | null;

  @Column('text', { nullable: true })
  note!: string | null;

  /** The evidence for the change, if it was required. */
  @Column('jsonb', { nullable: true })
  evidence!: Evidence | null;

  /**
   * When the bounce and the manual entry of the record expire after the change; null if never, and in lines about other causes.
   */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** When the reported event happened, if the report says so. */
  @Column({ type: 'timestamptz', name: 'occurred_at', precision: 3, nullable: true })
  occurredAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

/** Stands for the source in withdrawals by anybody else. */
export const NO_SOURCE = '00000000-0000-0000-0000-000000000000';

/** When a cause or an opt-out of an address was last withdrawn. A trigger derives it from the ledger. */
@Entity('withdrawals')
export class Withdrawal {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  email!: EmailAddress;

  /** A cause, or the id of a topic. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  subject!: string;

  /**
   * The source that reported the withdrawal; {@link NO_SOURCE} if it was not a source; all ones if a recipient subscribed again
   * through a source.
   */
  @PrimaryColumn('uuid', { name: 'source_id' })
  sourceId!: string;

  @Column({ type: 'timestamptz', name: 'withdrawn_at', precision: 3 })
  withdrawnAt!: Date;
}
