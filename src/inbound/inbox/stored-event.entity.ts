import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { EmailAddress } from '../../email-address/email-address.js';
import {
  DELIVERY_EVENT_KINDS,
  EFFECTS,
  OUTCOMES,
  type DeliveryEventKind,
  type Effect,
  type Outcome,
} from '../parsing/delivery-event.js';
import { Source } from '../sources/source.entity.js';

@Entity('delivery_events')
@Unique('delivery_events_account_id_source_id_key', ['accountId', 'sourceId', 'key'])
@ForeignKey(() => Source, ['accountId', 'sourceId'], ['accountId', 'id'], {
  name: 'delivery_events_source_id_fkey',
  onDelete: 'CASCADE',
})
@Index('delivery_events_account_id_recipient_id_idx', ['accountId', 'recipient', 'id'])
@Index('delivery_events_account_id_source_id_id_idx', ['accountId', 'sourceId', 'id'])
@Index('delivery_events_account_id_kind_id_idx', ['accountId', 'kind', 'id'])
@Index('delivery_events_account_id_source_id_kind_id_idx', ['accountId', 'sourceId', 'kind', 'id'])
@Index('delivery_events_reports_of_record_idx', { synchronize: false })
@Index('delivery_events_reports_idx', { synchronize: false })
@Index('delivery_events_early_removals_idx', { synchronize: false })
@Index('delivery_events_arrivals_idx', { synchronize: false })
@Index('delivery_events_soft_failures_idx', { synchronize: false })
@Index('delivery_events_choices_idx', { synchronize: false })
@Index('delivery_events_account_id_id_idx', { synchronize: false })
@Check('delivery_events_key_check', 'length(key) BETWEEN 1 AND 200')
export class StoredEvent {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** A UUIDv7 that the database generates when the event is stored. */
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid', { name: 'source_id' })
  sourceId!: string;

  @Column({ type: 'text', collation: 'C' })
  key!: string;

  @Column({ type: 'enum', enum: [...DELIVERY_EVENT_KINDS], enumName: 'delivery_event_kind' })
  kind!: DeliveryEventKind;

  @Column({ type: 'enum', enum: [...EFFECTS], enumName: 'delivery_event_effect' })
  effect!: Effect;

  @Column({ type: 'enum', enum: [...OUTCOMES], enumName: 'delivery_event_outcome' })
  outcome!: Outcome;

  /** The record that the event added, changed or removed, or that existed already. */
  @Column('uuid', { name: 'suppression_id', nullable: true })
  suppressionId!: string | null;

  @Column({ type: 'text', collation: 'C', nullable: true })
  recipient!: EmailAddress | null;

  /** For a soft failure, the last revision of the recipient when the event was stored; 0 if there was none. */
  @Column('bigint', { nullable: true })
  revision!: string | null;

  @Column('uuid', { name: 'topic_id', nullable: true })
  topicId!: string | null;

  @Column('uuid', { name: 'rule_id', nullable: true })
  ruleId!: string | null;

  @Column('uuid', { name: 'email_id', nullable: true })
  emailId!: string | null;

  /** The provider's own id of the email. */
  @Column('text', { name: 'raw_message_id', nullable: true })
  rawMessageId!: string | null;

  @Column('text', { nullable: true })
  status!: string | null;

  @Column('text', { nullable: true })
  diagnostic!: string | null;

  @Column('text')
  reason!: string;

  @Column({ type: 'timestamptz', name: 'occurred_at', precision: 3, nullable: true })
  occurredAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'received_at', precision: 3 })
  receivedAt!: Date;
}
