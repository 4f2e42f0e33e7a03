import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { LineKind } from './line-kinds.js';
import { ProviderList } from '../provider-list.entity.js';

export const PLAN_STATUS_MEANINGS = {
  comparing: "a job reads the provider's list and compares it",
  ready: 'it can be applied, within 24 hours',
  applying: 'a job applies it',
  applied: 'it was applied; `reason` says if switches were turned off meanwhile',
  stopped: 'the provider no longer has most of its earlier entries; to apply it anyway, send `accept_stop`',
  failed: "the provider's list could not be read, or the changes could not be made; `reason` says why",
  expired:
    'it is older than 24 hours, a later plan took its place, or the credentials that read it were replaced',
} as const;

export type PlanStatus = keyof typeof PLAN_STATUS_MEANINGS;

const PLAN_STATUSES = Object.keys(PLAN_STATUS_MEANINGS) as PlanStatus[];

/** A comparison of a provider's list with the list here. Its progress is in the job. */
@Entity('provider_list_plans')
@Unique('provider_list_plans_account_id_job_id_key', ['accountId', 'jobId'])
@Index('provider_list_plans_list_id_idx', ['accountId', 'providerListId', 'id'])
@Index('provider_list_plans_has_rows_idx', ['createdAt'], { where: 'has_rows' })
@ForeignKey(() => ProviderList, ['accountId', 'providerListId'], ['accountId', 'id'], {
  name: 'provider_list_plans_provider_list_id_fkey',
  onDelete: 'CASCADE',
})
export class ProviderListPlan {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'provider_list_id' })
  providerListId!: string;

  /** The job that compares the lists or, later, the job that applies the plan. */
  @Column('uuid', { name: 'job_id' })
  jobId!: string;

  @Column({
    type: 'enum',
    enum: [...PLAN_STATUSES],
    enumName: 'provider_list_plan_status',
    default: 'comparing',
  })
  status!: PlanStatus;

  /** Whether the plan was created on schedule. */
  @Column('boolean', { name: 'is_scheduled' })
  isScheduled!: boolean;

  /** How many entries the provider had. */
  @Column('integer', { default: 0 })
  entries!: number;

  @Column('jsonb', { default: {} })
  counts!: Partial<Record<LineKind, number>>;

  @Column('integer', { default: 0 })
  applied!: number;

  @Column('integer', { default: 0 })
  skipped!: number;

  /** The removals beyond the cap. */
  @Column('integer', { default: 0 })
  capped!: number;

  /** The approximate time that the provider needs for the changes. */
  @Column('integer', { name: 'push_seconds', default: 0 })
  pushSeconds!: number;

  /** Why it stopped or failed, or did not apply all lines. */
  @Column('text', { nullable: true })
  reason!: string | null;

  /** Whether the plan still has entries or lines. */
  @Column('boolean', { name: 'has_rows', default: true })
  hasRows!: boolean;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'ready_at', precision: 3, nullable: true })
  readyAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
