import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Actor } from '../../audit/actor.js';

/** Where an erasure continues after a step. */
export interface Progress {
  /** Whether the address may be mailed although it is suppressed, blocked, or opted out. */
  acceptsMail: boolean;
  /**
   * Replaces the address in the rows that remain. It is the pseudonym if the block is kept; otherwise, it is random, so that
   * the rows cannot be linked to the address.
   */
  replacement: EmailAddress;
  /** Whether tables had the pseudonym before, because an earlier erasure kept the block. */
  wasKept: boolean;
  /**
   * Whether the lines of lifts and provider lists, which could bring the address back, are being deleted before the first step.
   */
  isPreparing: boolean;
  /** Whether the kept block has been stored, after which it is announced. Undefined means no. */
  isStored?: boolean;
  /**
   * Whether instances are learning that the pseudonym is about to replace the address, or that its block is about to be deleted.
   */
  isAnnounced: boolean;
  /**
   * When all tables had been rewritten while webhook deliveries were still in flight. Null before that; undefined in older
   * erasures.
   */
  deliveringSince?: string | null;
  /** A UUIDv7 from the first step: rows with later ids are new. Null before that step. */
  before: string | null;
  /** The table that is being rewritten; null before the first one. */
  table: string | null;
  /** The key of its last row that was read; null before the first one. */
  after: (string | number)[] | null;
}

/** The erasure of an address from an account. While it runs, it has the address, encrypted. */
@Entity('erasures')
@Index('erasures_account_id_pseudonym_idx', ['accountId', 'pseudonym'], {
  unique: true,
  where: 'completed_at IS NULL',
})
@Index('erasures_account_id_pseudonym_id_idx', ['accountId', 'pseudonym', 'id'])
@Index('erasures_pending_idx', ['id'], { where: 'completed_at IS NULL' })
@Check(
  'erasures_completed_check',
  'num_nonnulls(target, progress) = CASE WHEN completed_at IS NULL THEN 2 ELSE 0 END',
)
export class Erasure {
  @ForeignKey(() => Account, { name: 'erasures_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid')
  id!: string;

  /** The keyed hash of the address. */
  @Column({ type: 'text', collation: 'C' })
  pseudonym!: EmailAddress;

  @Column('text')
  reference!: string;

  @Column('boolean', { name: 'keep_block', default: false })
  keepBlock!: boolean;

  /** The keyed hash of the contact id, by which callers may repeat the request. Null in older erasures. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  contact!: string | null;

  @Column('jsonb')
  actor!: Actor;

  /** How many rows were deleted or changed, by table. */
  @Column('jsonb', { default: {} })
  counts!: Record<string, number>;

  /** Null when the erasure is complete. */
  @Column('text', { nullable: true, comment: 'The address, AES-256-GCM' })
  target!: string | null;

  /** Null when the erasure is complete. */
  @Column('jsonb', { nullable: true })
  progress!: Progress | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'completed_at', precision: 3, nullable: true })
  completedAt!: Date | null;
}
