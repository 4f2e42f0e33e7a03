import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EmailAddress } from '../email-address/email-address.js';
import { SUBSCRIPTIONS, type Subscription } from './topic.entity.js';

/** How a recipient expressed a choice. */
export const PREFERENCE_CHANNELS = ['api', 'source', 'import', 'one_click', 'page', 'mail'] as const;

export type PreferenceChannel = (typeof PREFERENCE_CHANNELS)[number];

/** The choice of one address for one topic. */
@Entity('topic_preferences')
export class TopicPreference {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('text')
  email!: EmailAddress;

  @PrimaryColumn('uuid', { name: 'topic_id' })
  topicId!: string;

  @Column({ type: 'enum', enum: [...SUBSCRIPTIONS], enumName: 'topic_subscription' })
  subscription!: Subscription;

  @Column('uuid', { name: 'contact_id' })
  contactId!: string;

  @Column({ type: 'enum', enum: [...PREFERENCE_CHANNELS], enumName: 'preference_via' })
  via!: PreferenceChannel;

  /** The mail in which the recipient chose. */
  @Column('uuid', { name: 'email_id', nullable: true })
  emailId!: string | null;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
