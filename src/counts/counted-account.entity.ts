import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';

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
