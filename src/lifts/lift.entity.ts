import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { EmailAddress } from '../email-address/email-address.js';
import { Job } from '../jobs/job.entity.js';
import { CAUSES } from '../ledger/cause.js';
import type { ChangeActor } from '../ledger/evidence.js';
import { LINE_STATUSES, type LiftedCause, type LiftQuery, type LineReason, type LineStatus } from './lift.js';

export const LIFT_STATUS_MEANINGS = {
  counting: 'the service looks for the suppressions',
  ready: 'they are counted, and can be lifted',
  applying: 'the service lifts them',
  applied: 'they are lifted',
  reverting: 'the service puts them back',
  reverted: 'restored, except for addresses that had been added or removed again',
  expired: 'it was not applied in time, or could not be counted',
};

export type LiftStatus = keyof typeof LIFT_STATUS_MEANINGS;

/** Addresses by domain and by the fingerprint of the diagnostic, which is null for lines without one. */
export interface LargestGroups {
  domains: { domain: string; count: number }[];
  diagnostics: { diagnostic: string | null; count: number }[];
}

/** A lift by query. Its progress is in the job with the same id. */
@Entity('lifts')
@Check('lifts_cause_check', `cause < 'unsubscribe'`)
@Index('lifts_lines_until_idx', ['linesUntil'], { where: 'lines_until IS NOT NULL' })
@ForeignKey(() => Job, ['accountId', 'id'], ['accountId', 'id'], {
  name: 'lifts_id_fkey',
  onDelete: 'CASCADE',
})
export class Lift {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid')
  id!: string;

  @Column({ type: 'enum', enum: [...CAUSES], enumName: 'suppression_cause' })
  cause!: LiftedCause;

  /** A plan stays `ready` after it expires, until its lines are deleted. */
  @Column({
    type: 'enum',
    enum: Object.keys(LIFT_STATUS_MEANINGS),
    enumName: 'lift_status',
    default: 'counting',
  })
  status!: LiftStatus;

  @Column('jsonb')
  query!: LiftQuery;

  @Column('jsonb', { name: 'created_by' })
  createdBy!: ChangeActor;

  /** The actor who applied it, with the consent if the account guards removals. */
  @Column('jsonb', { name: 'applied_by', nullable: true })
  appliedBy!: ChangeActor | null;

  @Column('jsonb', { name: 'reverted_by', nullable: true })
  revertedBy!: ChangeActor | null;

  /** The largest groups of its lines. Null while they are counted. */
  @Column('jsonb', { nullable: true })
  largest!: LargestGroups | null;

  @Column({ type: 'timestamptz', name: 'counted_at', precision: 3, nullable: true })
  countedAt!: Date | null;

  /** When its lines are deleted. Null while a job works on them, and after they were deleted. */
  @Column({ type: 'timestamptz', name: 'lines_until', precision: 3, nullable: true })
  linesUntil!: Date | null;
}

/** An address that a lift found. */
@Entity('lift_lines')
@Unique('lift_lines_account_id_email_lift_id_key', ['accountId', 'email', 'liftId'])
@ForeignKey(() => Lift, ['accountId', 'liftId'], ['accountId', 'id'], {
  name: 'lift_lines_lift_id_fkey',
  onDelete: 'CASCADE',
})
export class LiftLine {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'lift_id' })
  liftId!: string;

  /** Numbers the lines from 1, in the order in which the causes were recorded. */
  @PrimaryColumn('integer')
  number!: number;

  @Column({ type: 'text', collation: 'C' })
  email!: EmailAddress;

  /** The ledger line that recorded the cause. */
  @Column('uuid', { name: 'change_id' })
  changeId!: string;

  /** The last revision of the record when it was counted. */
  @Column('bigint')
  revision!: string;

  @Column({ type: 'enum', enum: [...LINE_STATUSES], enumName: 'lift_line_status', default: 'planned' })
  status!: LineStatus;

  @Column('text', { nullable: true })
  reason!: LineReason | null;
}

/** The number of lines of a lift with a domain or a diagnostic. */
@Entity('lift_totals')
@Check('lift_totals_grouping_check', `grouping IN ('domain', 'diagnostic')`)
@ForeignKey(() => Lift, ['accountId', 'liftId'], ['accountId', 'id'], {
  name: 'lift_totals_lift_id_fkey',
  onDelete: 'CASCADE',
})
export class LiftTotal {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'lift_id' })
  liftId!: string;

  @PrimaryColumn('text')
  grouping!: 'domain' | 'diagnostic';

  /** The domain, or the fingerprint of the diagnostic, which is empty for lines without one. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  key!: string;

  @Column('integer')
  count!: number;
}
