import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';

/** The key of an account for the pseudonyms of erased addresses, encrypted. */
@Entity('erasure_keys')
export class ErasureKey {
  @ForeignKey(() => Account, { name: 'erasure_keys_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @Column('text')
  secret!: string;
}
