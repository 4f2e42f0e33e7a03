import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { POSTED_EVENTS } from '../../audit/actor.js';
import { Account } from '../../accounts/account.entity.js';
import type { ProviderName } from '../providers/providers.js';
import type { SourceOptions } from '../providers/source-option.js';

/** An address is suppressed when this many mails to it failed softly within this many days. */
export interface SoftLimit {
  failures: number;
  days: number;
}

export type StoredOptions = SourceOptions & {
  /** Without it, soft failures never suppress. */
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

  /** By name, encrypted by {@link SecretsCipher}. */
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
