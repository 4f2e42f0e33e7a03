import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { EventType } from '../announcements/events.js';
import { Webhook } from './webhook.entity.js';

export const DELIVERY_STATUS_MEANINGS = {
  pending: 'an attempt is due or planned',
  success: 'the endpoint received the event',
  failed: 'all retries were used up, or the type of the event was removed from the webhook',
} as const;

export type DeliveryStatus = keyof typeof DELIVERY_STATUS_MEANINGS;

export const DELIVERY_STATUSES = Object.keys(DELIVERY_STATUS_MEANINGS) as DeliveryStatus[];

export interface Attempt {
  id: string;
  /** In ISO 8601. */
  sent_at: string;
  /** 0 if there was no response. */
  http_status_code: number;
  /** The first 2 kB of the body. */
  response: string;
  /** Why there was no response. */
  error: string | null;
  /**
   * Set if the endpoint was unreachable. Another attempt, by another instance if there is one, must confirm this before it
   * counts.
   */
  is_unconfirmed?: true;
}

/** An event for one endpoint. It is stored after its first attempt, or when it must wait for an attempt outside the feed. */
@Entity('webhook_deliveries')
@Index('webhook_deliveries_pending_idx', ['accountId', 'webhookId', 'nextAttemptAt'], {
  where: `status = 'pending'`,
})
@Index('webhook_deliveries_failed_idx', ['accountId', 'webhookId', 'id'], { where: `status = 'failed'` })
@Index('webhook_deliveries_recorded_at_idx', ['recordedAt'], { where: `status <> 'pending'` })
@ForeignKey(() => Webhook, ['accountId', 'webhookId'], ['accountId', 'id'], {
  name: 'webhook_deliveries_webhook_id_fkey',
  onDelete: 'CASCADE',
})
@Check('webhook_deliveries_pending_check', `(next_attempt_at IS NULL) = (status <> 'pending')`)
export class WebhookDelivery {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'webhook_id' })
  webhookId!: string;

  /** A UUIDv7 made from the change: the same for every attempt and every endpoint. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  type!: EventType;

  /** The text that is signed and sent. */
  @Column('text')
  body!: string;

  @Column({ type: 'enum', enum: [...DELIVERY_STATUSES], enumName: 'webhook_delivery_status' })
  status!: DeliveryStatus;

  /**
   * The position of its change in the feed. While the delivery is pending, later changes wait. Null if the delivery is outside
   * this order.
   */
  @Column('bigint', { nullable: true })
  position!: string | null;

  /** Attempts that count since it was first due, or since it was replayed. */
  @Column('integer', { default: 0 })
  tries!: number;

  @Column({ type: 'timestamptz', name: 'next_attempt_at', precision: 3, nullable: true })
  nextAttemptAt!: Date | null;

  @Column('jsonb', { default: [] })
  attempts!: Attempt[];

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'recorded_at', default: () => 'now()' })
  recordedAt!: Date;
}
