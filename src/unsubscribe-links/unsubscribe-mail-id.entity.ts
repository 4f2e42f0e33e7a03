import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { Topic } from '../topics/topic.entity.js';

/** The recipient that the id in the address of a `mailto:` link stands for. A token would not fit into a local part. */
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

  /** The key that made the id. Null if version 0.2.0 stored the row. */
  @Column('integer', { name: 'key_id', nullable: true })
  keyId!: number | null;
}
