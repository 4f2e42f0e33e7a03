import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CAUSES, type Cause } from '../../ledger/cause.js';
import type { Consent } from '../../ledger/evidence.js';
import { ProviderList } from '../provider-list.entity.js';

export const PUSH_STATUS_MEANINGS = {
  pending:
    'it was not sent yet, or it failed and is tried again, or it waits because of the limit of removals in 24 hours',
  failed:
    'the provider refuses it, its confirmation is no longer valid, or 80 attempts failed, which take three days; nothing happens until somebody retries it',
} as const;

export type OpenPushStatus = keyof typeof PUSH_STATUS_MEANINGS;

export const OPEN_STATUSES = Object.keys(PUSH_STATUS_MEANINGS) as OpenPushStatus[];

/**
 * The last change of an entry at a provider, pending or done. A completed addition is kept, to mark the entry as added by this
 * service. A removal that a person confirmed is kept with its consent. Other removals are kept for some days, for plans that
 * had read the entry before.
 */
@Entity('provider_list_pushes')
@Check('provider_list_pushes_action_check', `action IN ('add', 'remove')`)
@Check('provider_list_pushes_status_check', `status IN ('pending', 'done', 'failed')`)
@Index('provider_list_pushes_due_idx', ['accountId', 'providerListId', 'nextAttemptAt'], {
  where: `status = 'pending'`,
})
@Index('provider_list_pushes_confirmed_idx', ['accountId', 'providerListId', 'nextAttemptAt', 'email'], {
  where: `status = 'pending' AND consent IS NOT NULL`,
})
@Index('provider_list_pushes_unconfirmed_idx', ['accountId', 'providerListId', 'nextAttemptAt', 'email'], {
  where: `status = 'pending' AND action = 'remove' AND consent IS NULL`,
})
@Index(
  'provider_list_pushes_status_idx',
  ['accountId', 'providerListId', 'status', 'email', 'list', 'address'],
  { where: `status <> 'done'` },
)
@Index('provider_list_pushes_age_idx', ['accountId', 'providerListId', 'status', 'createdAt'], {
  where: `status <> 'done'`,
})
@Index('provider_list_pushes_sent_removals_idx', ['accountId', 'providerListId', 'sentAt'], {
  where: `action = 'remove' AND consent IS NULL AND plan_id IS NULL`,
})
@Index('provider_list_pushes_consents_idx', ['accountId', 'providerListId', 'createdAt'], {
  where: 'consent IS NOT NULL',
})
@ForeignKey(() => ProviderList, ['accountId', 'providerListId'], ['accountId', 'id'], {
  name: 'provider_list_pushes_provider_list_id_fkey',
  onDelete: 'CASCADE',
})
export class ProviderListPush {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'provider_list_id' })
  providerListId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  email!: string;

  /** The provider's name for the list. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  list!: string;

  /** The address in the provider's spelling. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  address!: string;

  @Column({ type: 'text', collation: 'C' })
  action!: 'add' | 'remove';

  @Column({ type: 'text', collation: 'C', default: 'pending' })
  status!: OpenPushStatus | 'done';

  /** For an addition, the cause here. For a removal, the cause that the provider shows, if known. */
  @Column({ type: 'enum', enum: [...CAUSES], enumName: 'suppression_cause' })
  cause!: Cause;

  /** When the address was suppressed here, or lifted. */
  @Column({ type: 'timestamptz', precision: 3 })
  since!: Date;

  /** The plan that the change is a part of. */
  @Column('uuid', { name: 'plan_id', nullable: true })
  planId!: string | null;

  @Column('integer', { default: 0 })
  attempts!: number;

  /**
   * For a completed change, the time of completion. It also differs for every new change, so that the outcome of an earlier one
   * is not recorded.
   */
  @Column({ type: 'timestamptz', name: 'next_attempt_at', precision: 3, default: () => 'clock_timestamp()' })
  nextAttemptAt!: Date;

  /** When this change was last sent; null if it was not, even if the entry was looked up. */
  @Column({ type: 'timestamptz', name: 'attempted_at', precision: 3, nullable: true })
  sentAt!: Date | null;

  /** When this service added the entry; null if it did not. */
  @Column({ type: 'timestamptz', name: 'put_at', precision: 3, nullable: true })
  putAt!: Date | null;

  /** Why the last attempt failed, or why it waits. */
  @Column('text', { nullable: true })
  error!: string | null;

  /** The consent of the person who confirmed the removal. */
  @Column('jsonb', { nullable: true })
  consent!: Consent | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
