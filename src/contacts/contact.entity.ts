import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import type { EmailAddress } from '../email-address/email-address.js';

/** An address whose contact id a caller knows. */
@Entity('contacts')
@Check('contacts_email_check', `octet_length(email) <= 320 AND email LIKE '_%@_%'`)
export class Contact {
  @ForeignKey(() => Account, { name: 'contacts_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { comment: 'UUIDv5 of the account and the address' })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  email!: EmailAddress;

  /** When the service first learned of the address. */
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;
}
