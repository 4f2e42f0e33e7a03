import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { EmailAddress } from '../email-address/email-address.js';
import { SUBSCRIPTIONS, Topic, type Subscription } from './topic.entity.js';

/** How a recipient expressed a choice. */
export const PREFERENCE_CHANNELS = ['api', 'source', 'import', 'one_click', 'page', 'mail'] as const;

export type PreferenceChannel = (typeof PREFERENCE_CHANNELS)[number];

@Entity('topic_preferences')
@ForeignKey(() => Topic, ['accountId', 'topicId'], ['accountId', 'id'], {
  name: 'topic_preferences_topic_id_fkey',
})
@Index('topic_preferences_account_id_contact_id_idx', ['accountId', 'contactId'])
@Check('topic_preferences_email_check', `octet_length(email) <= 320 AND email LIKE '_%@_%'`)
export class TopicPreference {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  email!: EmailAddress;

  @PrimaryColumn('uuid', { name: 'topic_id' })
  topicId!: string;

  @Column({ type: 'enum', enum: [...SUBSCRIPTIONS], enumName: 'topic_subscription' })
  subscription!: Subscription;

  @Column('uuid', { name: 'contact_id', comment: 'UUIDv5 of the account and the address' })
  contactId!: string;

  @Column({
    type: 'enum',
    enum: [...PREFERENCE_CHANNELS],
    enumName: 'preference_via',
    comment: 'How the recipient expressed the choice',
  })
  via!: PreferenceChannel;

  @Column('uuid', { name: 'email_id', nullable: true })
  emailId!: string | null;

  @Column('uuid', {
    name: 'import_id',
    nullable: true,
    comment: 'The import that made the choice, until somebody repeats it',
  })
  importId!: string | null;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
