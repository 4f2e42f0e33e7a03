import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import type { EmailAddress } from '../email-address/email-address.js';

/** Whether an address gets the mail of a topic. As the default of a topic, it applies to addresses that never chose. */
export const SUBSCRIPTION_MEANINGS = {
  opt_in: 'the address gets the mail of the topic',
  opt_out: 'the address does not get it',
} as const;

export type Subscription = keyof typeof SUBSCRIPTION_MEANINGS;

export const SUBSCRIPTIONS = Object.keys(SUBSCRIPTION_MEANINGS) as readonly Subscription[];

export const VISIBILITY_MEANINGS = {
  public: 'the preference page offers the topic to everybody',
  private: 'the preference page offers it only to those who opted in',
} as const;

export type Visibility = keyof typeof VISIBILITY_MEANINGS;

export const VISIBILITIES = Object.keys(VISIBILITY_MEANINGS) as readonly Visibility[];

/** A kind of mail that a recipient can opt out of. */
@Entity('topics')
@Index('topics_account_id_key_idx', ['accountId', 'key'], { unique: true })
@Check('topics_key_check', `key ~ '^[a-z0-9.-]{1,64}$'`)
@Check('topics_name_check', 'char_length(name) BETWEEN 1 AND 50')
@Check('topics_description_check', 'char_length(description) <= 200')
export class Topic {
  @ForeignKey(() => Account, { name: 'topics_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** A UUIDv7, so ids are in the order of creation. */
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  /** The name that mailers use in code, unique among the topics of an account, archived or not. */
  @Column({ type: 'text', collation: 'C' })
  key!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column({
    type: 'enum',
    enum: [...SUBSCRIPTIONS],
    enumName: 'topic_subscription',
    name: 'default_subscription',
  })
  defaultSubscription!: Subscription;

  @Column({ type: 'enum', enum: [...VISIBILITIES], enumName: 'topic_visibility' })
  visibility!: Visibility;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'archived_at', precision: 3, nullable: true })
  archivedAt!: Date | null;
}

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
