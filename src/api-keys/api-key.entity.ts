import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from './scopes.js';

/** What a caller shows. The secret itself is not stored. */
@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('integer', { name: 'account_id' })
  accountId!: number;

  @Column('text')
  name!: string;

  /** The first characters of the secret, enough to tell keys apart. */
  @Column('text')
  prefix!: string;

  /** SHA-256 of the secret. */
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

  /** To the minute. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  /** The key that it was rotated to. A key has one successor at most. */
  @Column('uuid', { name: 'successor_id', nullable: true })
  successorId!: string | null;
}
