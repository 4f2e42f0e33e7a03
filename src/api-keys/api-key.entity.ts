import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import type { Scope } from './scopes.js';

@Entity('api_keys')
@Unique('api_keys_secret_hash_key', ['secretHash'])
@Index('api_keys_account_id_idx', ['accountId'])
@Check('api_keys_name_check', 'length(name) BETWEEN 1 AND 100')
@Check('api_keys_secret_hash_check', 'octet_length(secret_hash) = 32')
@Check('api_keys_scopes_check', 'cardinality(scopes) > 0')
export class ApiKey {
  @PrimaryColumn('uuid')
  id!: string;

  @ForeignKey(() => Account, { name: 'api_keys_account_id_fkey' })
  @Column('integer', { name: 'account_id' })
  accountId!: number;

  @Column('text')
  name!: string;

  /** The first characters of the secret, enough to tell keys apart. */
  @Column('text')
  prefix!: string;

  @Column('bytea', { name: 'secret_hash', select: false })
  secretHash!: Buffer;

  @Column('text', { array: true })
  scopes!: Scope[];

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  /** Precise to the minute. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  @ForeignKey(() => ApiKey, { name: 'api_keys_successor_id_fkey' })
  @Column('uuid', { name: 'successor_id', nullable: true })
  successorId!: string | null;
}
