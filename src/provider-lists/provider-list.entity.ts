import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import type { ListProviderName } from './providers/providers.js';

/** The list that one scope of a provider keeps. */
@Entity('provider_lists')
@Index('provider_lists_scope_key_idx', ['scopeKey'], { where: 'deleted_at IS NULL' })
@Index('provider_lists_next_run_at_idx', ['nextRunAt'], {
  where: 'deleted_at IS NULL AND stopped_at IS NULL',
})
export class ProviderList {
  @ForeignKey(() => Account, { name: 'provider_lists_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  provider!: ListProviderName;

  @Column('text')
  name!: string;

  /** The scope of the list at the provider, such as a region. */
  @Column('jsonb')
  scope!: Record<string, string>;

  /**
   * Identifies the list among those of all accounts. It is a keyed hash of the credentials if nothing else identifies the list.
   */
  @Column('text', { name: 'scope_key' })
  scopeKey!: string;

  /** The credentials, keyed by name and encrypted by `SecretsCipher`. */
  @Column('jsonb', { comment: 'AES-256-GCM, by name' })
  credentials!: Record<string, string>;

  /** The source that the provider sends its events to. It may have been deleted since. */
  @Column('uuid', { name: 'source_id', nullable: true })
  sourceId!: string | null;

  /** Whether scheduled plans change the list here. They are applied if this switch, or a switch to push, is on. */
  @Column('boolean')
  pull!: boolean;

  /** Whether suppressions here are added at the provider. */
  @Column('boolean', { name: 'push_additions', default: false })
  pushAdditions!: boolean;

  /** Whether lifts here remove the entry at the provider, unless a person must confirm the removal. */
  @Column('boolean', { name: 'push_removals', default: false })
  pushRemovals!: boolean;

  /** Whether unsubscribes are also added at the provider. */
  @Column('boolean', { name: 'push_unsubscribes', default: false })
  pushUnsubscribes!: boolean;

  /** The position in the feed up to which changes have been examined for pushes; null if the list does not push. */
  @Column('bigint', { name: 'push_position', nullable: true })
  pushPosition!: string | null;

  /** The instance that pushes. */
  @Column('uuid', { name: 'push_lease_id', nullable: true })
  pushLeaseId!: string | null;

  @Column({ type: 'timestamptz', name: 'push_leased_until', precision: 3, nullable: true })
  pushLeasedUntil!: Date | null;

  /** Until when no requests are sent to the provider. */
  @Column({ type: 'timestamptz', name: 'push_paused_until', precision: 3, nullable: true })
  pushPausedUntil!: Date | null;

  /** Why the pushes are waiting; null after a push has succeeded. */
  @Column('text', { name: 'push_error', nullable: true })
  pushError!: string | null;

  /** Whether switches were turned off, or a plan was discarded, since the open pushes were last checked. */
  @Column('boolean', { name: 'has_withdrawn', default: false })
  hasWithdrawn!: boolean;

  /** The number of pushes that failed since the last success. */
  @Column('integer', { name: 'push_failures', default: 0 })
  pushFailures!: number;

  /** The plan whose changes are being pushed. */
  @Column('uuid', { name: 'pushing_plan_id', nullable: true })
  pushingPlanId!: string | null;

  /** Whether other lists may have the same scope. */
  @Column('boolean')
  shared!: boolean;

  @Column('integer', { name: 'interval_hours' })
  intervalHours!: number;

  @Column({ type: 'timestamptz', name: 'next_run_at', precision: 3 })
  nextRunAt!: Date;

  /** The plan that was last applied. Its entries are those that the provider had at that time. */
  @Column('uuid', { name: 'base_plan_id', nullable: true })
  basePlanId!: string | null;

  @Column({ type: 'timestamptz', name: 'last_success_at', precision: 3, nullable: true })
  lastSuccessAt!: Date | null;

  /** Why the last plan failed; null after a plan has succeeded. */
  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  /** When the provider refused the credentials. No plan is scheduled until they are replaced. */
  @Column({ type: 'timestamptz', name: 'stopped_at', precision: 3, nullable: true })
  stoppedAt!: Date | null;

  /** When the list was deleted. Its plans are deleted in the background. */
  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true })
  deletedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

/** SQL: the account of `list` is not suspended. While it is, the service sends nothing to the provider. */
export const IS_ACTIVE = `EXISTS (
  SELECT FROM accounts WHERE accounts.id = list.account_id AND accounts.beta_admitted_at IS NOT NULL
)`;
