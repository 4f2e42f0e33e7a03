import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';

export const WEBHOOK_STATUS_MEANINGS = {
  enabled: 'events are sent',
  disabled: 'no event is sent until it is enabled',
} as const;

export type WebhookStatus = keyof typeof WEBHOOK_STATUS_MEANINGS;

export const WEBHOOK_STATUSES = Object.keys(WEBHOOK_STATUS_MEANINGS) as WebhookStatus[];

export const DISABLED_REASON_MEANINGS = {
  requested: 'a caller disabled it',
  gone: 'the endpoint responded 410',
  failing: 'every attempt failed for five days',
} as const;

export type DisabledReason = keyof typeof DISABLED_REASON_MEANINGS;

export interface StoredSigningSecret {
  encrypted: string;
  /** Until when a replaced secret still signs, in ISO 8601; null for the current one. */
  signs_until: string | null;
}

/** An endpoint that follows the changes of an account. The instance that holds the lease delivers to it. */
@Entity('webhooks')
@Index('webhooks_leased_until_idx', ['leasedUntil'], { where: `status = 'enabled'` })
@Index('webhooks_lease_id_idx', ['leaseId'], { where: 'lease_id IS NOT NULL' })
@Check(
  'webhooks_disabled_check',
  `num_nonnulls(disabled_at, disabled_reason) = CASE status WHEN 'disabled' THEN 2 ELSE 0 END`,
)
export class Webhook {
  @ForeignKey(() => Account, { name: 'webhooks_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  endpoint!: string;

  /** The subscribed events, including events that only Resend sends. */
  @Column('text', { array: true })
  events!: string[];

  @Column({ type: 'enum', enum: [...WEBHOOK_STATUSES], enumName: 'webhook_status', default: 'enabled' })
  status!: WebhookStatus;

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: DisabledReason | null;

  @Column({ type: 'timestamptz', name: 'disabled_at', precision: 3, nullable: true })
  disabledAt!: Date | null;

  /** When the first attempt after the last success failed. */
  @Column({ type: 'timestamptz', name: 'failing_since', precision: 3, nullable: true })
  failingSince!: Date | null;

  /** Newest first, encrypted by `SecretsCipher`. */
  @Column('jsonb', { name: 'signing_secrets', comment: 'AES-256-GCM, newest first' })
  signingSecrets!: StoredSigningSecret[];

  /** The position in the feed of the last change whose events were delivered, or stored as deliveries. A bigint. */
  @Column('bigint')
  position!: string;

  /** Incremented by every change of a caller, so that the instance that delivers reads the webhook again. */
  @Column('integer', { default: 0 })
  version!: number;

  @Column('uuid', { name: 'lease_id', nullable: true })
  leaseId!: string | null;

  @Column({ type: 'timestamptz', name: 'leased_until', nullable: true })
  leasedUntil!: Date | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
