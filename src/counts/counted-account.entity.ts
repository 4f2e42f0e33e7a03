import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';

/** An account whose totals are complete. */
@Entity('counted_accounts')
export class CountedAccount {
  @ForeignKey(() => Account, { name: 'counted_accounts_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;
}
