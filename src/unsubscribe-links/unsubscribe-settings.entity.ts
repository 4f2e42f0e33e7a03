import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import type { EmailAddress } from '../email-address/email-address.js';

/** What the recipients of an account see, and where they can write. */
@Entity('unsubscribe_settings')
@Check('unsubscribe_settings_sender_name_check', 'char_length(sender_name) BETWEEN 1 AND 100')
@Check('unsubscribe_settings_mailbox_check', `octet_length(mailbox) <= 320 AND mailbox LIKE '_%@_%'`)
export class UnsubscribeSettings {
  @ForeignKey(() => Account, { name: 'unsubscribe_settings_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @Column('text', { name: 'sender_name', nullable: true })
  senderName!: string | null;

  /** The address that receives mail to `mailto:` links. */
  @Column('text', { nullable: true })
  mailbox!: EmailAddress | null;
}
