import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import { ACTOR_TYPES, type ActorType } from '../audit/actor.js';
import { INCIDENT_DECISIONS, type IncidentStatus, type IncidentDecision } from './incident-states.js';

/** A wave of bounces that looks like the fault of a receiving provider. It runs until `closedAt`. */
@Entity('incidents')
@Index('incidents_running_key', { synchronize: false })
@Index('incidents_unfinished_idx', { synchronize: false })
@Check('incidents_key_check', 'num_nonnulls(text_hash, receiving_group) = 1')
@Check('incidents_decision_check', 'num_nulls(decision, decided_at, actor_type, actor_name) IN (0, 4)')
export class Incident {
  @ForeignKey(() => Account, { name: 'incidents_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** A UUIDv7. */
  @PrimaryColumn('uuid')
  id!: string;

  /** The hash of the diagnostic; null if the incident is about a group. */
  @Column('uuid', {
    name: 'text_hash',
    nullable: true,
    comment: 'MD5 of the diagnostic; null if the incident is about a group',
  })
  textHash!: string | null;

  /** The fingerprint of the answer. */
  @Column('text', { nullable: true })
  diagnostic!: string | null;

  @Column({ type: 'text', name: 'receiving_group', collation: 'C', nullable: true })
  group!: string | null;

  @Column('integer', { default: 0 })
  addresses!: number;

  @Column('integer', { default: 0 })
  held!: number;

  /** How many of the addresses had a delivery within the 30 days before. */
  @Column('integer', { name: 'delivered_before', default: 0 })
  deliveredBefore!: number;

  /** Whether enough of the addresses received mail shortly before. If not, nothing is held. */
  @Column('boolean', { name: 'is_convincing' })
  isConvincing!: boolean;

  @Column({ type: 'timestamptz', name: 'opened_at', precision: 3 })
  openedAt!: Date;

  @Column({
    type: 'timestamptz',
    name: 'active_at',
    precision: 3,
    comment: 'The end of the last 15 minutes with many bounces',
  })
  activeAt!: Date;

  @Column({ type: 'timestamptz', name: 'closed_at', precision: 3, nullable: true })
  closedAt!: Date | null;

  @Column({
    type: 'enum',
    enum: [...INCIDENT_DECISIONS],
    enumName: 'incident_decision',
    nullable: true,
  })
  decision!: IncidentDecision | null;

  @Column({ type: 'timestamptz', name: 'decided_at', precision: 3, nullable: true })
  decidedAt!: Date | null;

  /** The actor who decided. */
  @Column({
    type: 'enum',
    enum: [...ACTOR_TYPES],
    enumName: 'actor_type',
    name: 'actor_type',
    nullable: true,
  })
  actorType!: ActorType | null;

  @Column('uuid', { name: 'actor_id', nullable: true })
  actorId!: string | null;

  @Column('text', { name: 'actor_name', nullable: true })
  actorName!: string | null;

  @Column({
    type: 'timestamptz',
    name: 'settled_at',
    precision: 3,
    nullable: true,
    comment: 'When the decision was applied to all held bounces',
  })
  settledAt!: Date | null;

  @Column('uuid', { name: 'held_through', comment: 'The last delivery event whose bounce was held' })
  heldThrough!: string;
}

export function statusOf({ decision, closedAt }: Incident): IncidentStatus {
  return decision ? 'decided' : closedAt ? 'closed' : 'open';
}

/** The hash for rows without an answer, and for rows with all results. */
export const NO_TEXT = '00000000-0000-0000-0000-000000000000';

/** Counts for the mail to a group of domains in the five minutes from `at`. It contains no addresses. */
@Entity('incident_counts')
@Index('incident_counts_texts_idx', { synchronize: false })
export class IncidentCount {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  at!: Date;

  /** The answer to the addresses that bounced, or {@link NO_TEXT}. */
  @PrimaryColumn('uuid', {
    name: 'text_hash',
    comment: 'Zeros in the row with all results, and with bounces without an answer',
  })
  textHash!: string;

  @PrimaryColumn({ type: 'text', name: 'receiving_group', collation: 'C' })
  group!: string;

  /** The number of deliveries and failures. */
  @Column('integer')
  results!: number;

  /** The number of addresses that bounced permanently. */
  @Column('integer')
  addresses!: number;

  /** How many of the addresses have any known delivery. */
  @Column('integer')
  known!: number;

  /** How many of the addresses had a delivery within the last 30 days. */
  @Column('integer')
  recent!: number;
}

/** The share of the results of a day that bounced with one answer, or in one group. Tiny shares are omitted. */
@Entity('incident_shares')
export class IncidentShare {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'The hash of an answer, or a group of domains' })
  key!: string;

  @PrimaryColumn('date')
  day!: string;

  @Column('real')
  share!: number;
}

/** How far the delivery events of an account have been counted. */
@Entity('incident_watches')
export class IncidentWatch {
  @ForeignKey(() => Account, { name: 'incident_watches_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @Column('uuid', { name: 'last_event_id' })
  lastEventId!: string;

  @Column('date', { comment: 'The first day without shares in incident_shares' })
  day!: string;
}
