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

  /** What the list is limited to at the provider, such as a region. */
  @Column('jsonb')
  scope!: Record<string, string>;

  /** Identifies the list among those of all accounts; where only the credentials do, their keyed hash. */
  @Column('text', { name: 'scope_key' })
  scopeKey!: string;

  /** By name, encrypted by `SecretsCipher`. */
  @Column('jsonb', { comment: 'AES-256-GCM, by name' })
  credentials!: Record<string, string>;

  /** Whether scheduled plans are applied. */
  @Column('boolean')
  pull!: boolean;

  /** Whether other lists may have the same scope. */
  @Column('boolean')
  shared!: boolean;

  @Column('integer', { name: 'interval_hours' })
  intervalHours!: number;

  @Column({ type: 'timestamptz', name: 'next_run_at', precision: 3 })
  nextRunAt!: Date;

  /** The plan that was last applied: its entries are what the provider had then. */
  @Column('uuid', { name: 'base_plan_id', nullable: true })
  basePlanId!: string | null;

  @Column({ type: 'timestamptz', name: 'last_success_at', precision: 3, nullable: true })
  lastSuccessAt!: Date | null;

  /** Why the last plan failed; null after one succeeded. */
  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  /** When the provider refused the credentials. No plan is scheduled until they are replaced. */
  @Column({ type: 'timestamptz', name: 'stopped_at', precision: 3, nullable: true })
  stoppedAt!: Date | null;

  /** Its plans are deleted in the background. */
  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true })
  deletedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
