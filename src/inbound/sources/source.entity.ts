import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../../accounts/account.entity.js';
import type { POSTED_EVENTS } from '../../audit/actor.js';
import { Topic } from '../../topics/topic.entity.js';
import { UNIT_KINDS, type UnitKind } from '../parsing/delivery-event.js';
import type { SourceOptions } from '../providers/provider.js';
import type { ProviderName } from '../providers/providers.js';

/** An address is suppressed when this many mails to it failed softly within this many days. */
export interface SoftLimit {
  failures: number;
  days: number;
}

export type StoredOptions = SourceOptions & {
  /** If absent, soft failures never suppress an address. */
  softLimit?: SoftLimit;
};

/** A configured integration that events arrive from. */
@Entity('sources')
@Unique('sources_account_id_id_key', ['accountId', 'id'])
@Unique('sources_url_id_key', ['urlId'])
@Index('sources_secrets_idx', ['id'], { where: `secrets <> '{}'` })
@Check('sources_url_id_check', 'length(url_id) >= 22')
@Check('sources_name_check', 'length(name) BETWEEN 1 AND 100')
export class Source {
  /** Not secret: the ledger and the command line name a source by it. */
  @PrimaryColumn('uuid')
  id!: string;

  @ForeignKey(() => Account, { name: 'sources_account_id_fkey' })
  @Column('integer', { name: 'account_id' })
  accountId!: number;

  /** The unguessable part of its URL. */
  @Column('text', { name: 'url_id', comment: 'The unguessable part of its URL' })
  urlId!: string;

  @Column('text')
  provider!: ProviderName | typeof POSTED_EVENTS;

  @Column('text')
  name!: string;

  /** The secrets, keyed by name and encrypted by {@link SecretsCipher}. */
  @Column('jsonb', { comment: 'AES-256-GCM, by name' })
  secrets!: Record<string, string>;

  @Column('jsonb')
  options!: StoredOptions;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'paused_at', nullable: true })
  pausedAt!: Date | null;

  @Column('bigint', { name: 'bad_signatures', default: 0 })
  badSignatures!: string;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { name: 'last_error_at', nullable: true })
  lastErrorAt!: Date | null;
}

/** Maps a kind of mail at a provider to a topic. */
@Entity('source_topics')
@ForeignKey(() => Source, ['accountId', 'sourceId'], ['accountId', 'id'], {
  name: 'source_topics_source_id_fkey',
  onDelete: 'CASCADE',
})
@ForeignKey(() => Topic, ['accountId', 'topicId'], ['accountId', 'id'], {
  name: 'source_topics_topic_id_fkey',
})
@ForeignKey(() => Topic, ['accountId', 'movingFrom'], ['accountId', 'id'], {
  name: 'source_topics_moving_from_fkey',
})
@Check('source_topics_unit_name_check', 'length(unit_name) BETWEEN 1 AND 200')
export class SourceTopic {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'source_id' })
  sourceId!: string;

  @PrimaryColumn({ type: 'enum', enum: [...UNIT_KINDS], enumName: 'topic_unit_kind', name: 'unit_kind' })
  unitKind!: UnitKind;

  @PrimaryColumn({ type: 'text', collation: 'C', name: 'unit_name' })
  unitName!: string;

  @Column('uuid', { name: 'topic_id' })
  topicId!: string;

  @Column('boolean', {
    name: 'is_mapped',
    comment: 'False if the service made the topic for a unit that nobody had mapped',
  })
  isMapped!: boolean;

  @Column('uuid', {
    name: 'moving_from',
    nullable: true,
    comment: 'A topic whose opt-outs are being moved to this one',
  })
  movingFrom!: string | null;

  @Column({
    type: 'text',
    collation: 'C',
    name: 'moved_up_to',
    default: '',
    comment: 'The last address whose opt-out was moved',
  })
  movedUpTo!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
