import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { Topic } from '../topics/topic.entity.js';

/** A key that encrypts the tokens of an account's links. Only revocation deletes it, so old links keep working. */
@Entity('unsubscribe_keys')
@Index('unsubscribe_keys_account_id_created_at_idx', ['accountId', 'createdAt'])
@Check('unsubscribe_keys_id_check', 'id > 0')
export class StoredUnsubscribeKey {
  @ForeignKey(() => Account, { name: 'unsubscribe_keys_account_id_fkey' })
  @Column('integer', { name: 'account_id' })
  accountId!: number;

  /** Random, since it is visible in tokens. */
  @PrimaryColumn('integer')
  id!: number;

  /** Encrypted by `SecretsCipher`. */
  @Column('text')
  secret!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

/** Maps the id in the address of a `mailto:` link to the recipient. A token would not fit into a local part. */
@Entity('unsubscribe_mail_ids')
@ForeignKey(() => Topic, ['accountId', 'topicId'], ['accountId', 'id'], {
  name: 'unsubscribe_mail_ids_topic_id_fkey',
})
@Check('unsubscribe_mail_ids_email_check', `octet_length(email) <= 320 AND email LIKE '_%@_%'`)
export class UnsubscribeMailId {
  @ForeignKey(() => Account, { name: 'unsubscribe_mail_ids_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { comment: 'The first 128 bits of an HMAC of the topic and the address' })
  id!: string;

  @Column('uuid', { name: 'topic_id', nullable: true })
  topicId!: string | null;

  @Column({ type: 'text', collation: 'C' })
  email!: EmailAddress;

  /** The key with which the id was created. Null if version 0.2.0 stored the row. */
  @Column('integer', { name: 'key_id', nullable: true })
  keyId!: number | null;
}

/** The name that an account's recipients see, and the address that they can write to. */
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
