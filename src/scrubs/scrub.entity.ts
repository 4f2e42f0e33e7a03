import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';

export const SCRUB_STATUSES = ['running', 'completed', 'failed'] as const;

export type ScrubStatus = (typeof SCRUB_STATUSES)[number];

/** TypeORM reads a `bigint` as a text. */
const COUNT = { default: 0, transformer: { from: Number, to: (count: number) => count } };

/** The counts of a scrub. */
@Entity('scrubs')
export class Scrub {
  @ForeignKey(() => Account, { name: 'scrubs_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid')
  id!: string;

  /** If the instance is killed, it stays `running`, and is shown as failed after the time limit. */
  @Column({ type: 'enum', enum: [...SCRUB_STATUSES], enumName: 'scrub_status', default: 'running' })
  status!: ScrubStatus;

  @Column('bigint', COUNT)
  send!: number;

  @Column('bigint', COUNT)
  suppressed!: number;

  @Column('bigint', COUNT)
  invalid!: number;

  /** Why the scrub failed, for the caller. */
  @Column('text', { nullable: true })
  problem!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'completed_at', precision: 3, nullable: true })
  completedAt!: Date | null;
}
