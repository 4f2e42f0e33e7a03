import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { CAUSES, LASTING_CAUSES, type Cause } from '../ledger/cause.js';

/** One address that an account must not mail. */
@Entity('suppressions')
@Index('suppressions_account_id_created_at_idx', ['accountId', 'createdAt'])
@Index('suppressions_account_id_causes_created_at_idx', { synchronize: false })
@Index('suppressions_account_id_domain_causes_created_at_idx', { synchronize: false })
@Check('suppressions_email_check', `octet_length(email) <= 320 AND email LIKE '_%@_%'`)
@Check('suppressions_email_id_check', `cause <> 'manual' OR email_id IS NULL`)
@Index('suppressions_account_id_expires_at_idx', ['accountId', 'expiresAt'], {
  where: 'expires_at IS NOT NULL',
})
@Index('suppressions_expires_at_idx', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
@Check('suppressions_expires_at_check', 'expires_at IS NULL OR (weaker_causes | cause_bit(cause)) & 3 <> 0')
@Check('suppressions_weaker_causes_check', 'weaker_causes >= 0 AND weaker_causes < cause_bit(cause)')
export class Suppression {
  @ForeignKey(() => Account, { name: 'suppressions_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  email!: EmailAddress;

  /** A UUIDv7, so ids are in the order of creation. */
  @Column('uuid')
  id!: string;

  @Column({ type: 'enum', enum: [...CAUSES], enumName: 'suppression_cause' })
  cause!: Cause;

  /** The other current causes, as a mask: see `causesIn`. */
  @Column('smallint', {
    name: 'weaker_causes',
    default: 0,
    comment: 'The sum of cause_bit of all causes but the strongest',
  })
  weakerCauses!: number;

  @Column('uuid', { name: 'email_id', nullable: true })
  emailId!: string | null;

  /**
   * The import that made the last change, if nobody has changed or confirmed the record since, so that it can still be
   * reverted.
   */
  @Column('uuid', {
    name: 'import_id',
    nullable: true,
    comment: 'The import that made the last change, until somebody confirms the record',
  })
  importId!: string | null;

  /** The timestamp in the id, to the microsecond. */
  @Column({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  /** When bounces and manual entries expire; null if never. Complaints and unsubscribes never expire. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt!: Date | null;
}

export type NamedSuppression = Pick<Suppression, 'id' | 'email'>;

/** SQL for all causes of a record, as a mask. */
export const RECORD_CAUSES = 'weaker_causes | cause_bit(cause)';

/** SQL: whether a record has a cause that has not expired. */
export const IS_LIVE = `(expires_at IS NULL OR expires_at > now() OR cause >= 'unsubscribe')`;

/** SQL for the causes of a record that have not expired, as a mask. */
export const LIVE_CAUSES = liveCauses(RECORD_CAUSES);

/** SQL for the causes of a mask that have not expired. */
export function liveCauses(mask: string): string {
  return `(CASE WHEN expires_at <= now() THEN (${mask}) & ${LASTING_CAUSES} ELSE ${mask} END)`;
}

/**
 * A bounce that an incident holds: its record expires at `heldUntil`. If the record expires at another time, somebody has changed
 * it since, and it is no longer held.
 */
@Entity('held_bounces')
@Index('held_bounces_account_id_incident_id_idx', ['accountId', 'incidentId'])
export class HeldBounce {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'suppression_id' })
  suppressionId!: string;

  @Column('uuid', { name: 'incident_id' })
  incidentId!: string;

  @Column({ type: 'timestamptz', name: 'held_until', precision: 3 })
  heldUntil!: Date;

  /** When the bounce expires if it is kept; null if never. */
  @Column({
    type: 'timestamptz',
    name: 'expires_at',
    precision: 3,
    nullable: true,
    comment: 'When the bounce expires if it is kept; null if never',
  })
  expiresAt!: Date | null;
}
