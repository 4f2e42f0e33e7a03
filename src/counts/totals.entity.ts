import { Column, Entity, ForeignKey, Generated, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import { CAUSES, type Cause } from '../ledger/cause.js';

/** The number of records of an account with a creation day and a set of causes. Pending changes are not included. */
@Entity('day_totals')
export class DayTotal {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** The day of `created_at`, in UTC. */
  @PrimaryColumn('date')
  day!: string;

  /** All causes of the records, as a mask: see `causesIn`. */
  @PrimaryColumn('smallint')
  causes!: number;

  @Column('bigint')
  count!: string;
}

/** The number of records of an account at a domain. Pending changes are not included. */
@Entity('domain_totals')
@Index('domain_totals_account_id_count_idx', { synchronize: false })
export class DomainTotal {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  domain!: string;

  @Column('bigint')
  count!: string;
}

/** The number of records with a cause that an account added or removed on a day, up to {@link CountedAccount.changesUntil}. */
@Entity('change_totals')
export class ChangeTotal {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** The day in UTC. */
  @PrimaryColumn('date')
  day!: string;

  @PrimaryColumn({ type: 'enum', enum: [...CAUSES], enumName: 'suppression_cause' })
  cause!: Cause;

  @PrimaryColumn('boolean', { name: 'is_removal' })
  isRemoval!: boolean;

  @Column('bigint')
  count!: string;
}

/** The records that a statement added to the list and removed from it, as a trigger announces them. */
@Entity('pending_totals')
export class PendingTotals {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('bigint')
  @Generated()
  id!: string;

  @Column({ type: 'text', array: true, collation: 'C' })
  domains!: string[];

  @Column('date', { array: true })
  days!: string[];

  /** The mask of the causes of each record; negative if the record was removed. */
  @Column('smallint', { array: true })
  causes!: number[];
}

/** An account whose totals are complete. */
@Entity('counted_accounts')
export class CountedAccount {
  @ForeignKey(() => Account, { name: 'counted_accounts_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** The last line of the ledger that the totals of changes include. Null before the first one. */
  @Column('uuid', { name: 'changes_until', nullable: true })
  changesUntil!: string | null;
}
