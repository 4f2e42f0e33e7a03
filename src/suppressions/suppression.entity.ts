import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { CAUSES, type Cause } from '../ledger/cause.js';

/** One address that an account must not mail. */
@Entity('suppressions')
@Unique('suppressions_account_id_email_key', ['accountId', 'email'])
@Index('suppressions_account_id_origin_id_idx', { synchronize: false })
@Index('suppressions_account_id_domain_origin_id_idx', { synchronize: false })
@Check('suppressions_email_check', `octet_length(email) <= 320 AND email LIKE '_%@_%'`)
@Check('suppressions_email_id_check', `cause <> 'manual' OR email_id IS NULL`)
export class Suppression {
  @ForeignKey(() => Account, { name: 'suppressions_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** A UUIDv7, so that the order of the ids is the order of creation. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  email!: EmailAddress;

  @Column({ type: 'enum', enum: [...CAUSES], enumName: 'suppression_cause' })
  cause!: Cause;

  /** The mail that triggered it. */
  @Column('uuid', { name: 'email_id', nullable: true })
  emailId!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;
}
