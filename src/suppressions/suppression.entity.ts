import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EmailAddress } from '../email-address/email-address.js';
import { CAUSES, type Cause } from '../ledger/cause.js';

/** One address that an account must not mail. */
@Entity('suppressions')
export class Suppression {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** A UUIDv7, so that the order of the ids is the order of creation. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  email!: EmailAddress;

  @Column({ type: 'enum', enum: [...CAUSES], enumName: 'suppression_cause' })
  cause!: Cause;

  /** The mail that triggered it. */
  @Column('uuid', { name: 'email_id', nullable: true })
  emailId!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;
}
