import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';

/** A key that encrypts the tokens of an account's links. Only revocation deletes it, so old links keep working. */
@Entity('unsubscribe_keys')
@Index('unsubscribe_keys_account_id_created_at_idx', ['accountId', 'createdAt'])
@Check('unsubscribe_keys_id_check', 'id > 0')
export class StoredUnsubscribeKey {
  @ForeignKey(() => Account, { name: 'unsubscribe_keys_account_id_fkey' })
  @Column('integer', { name: 'account_id' })
  accountId!: number;

  /** Random, since tokens show it. */
  @PrimaryColumn('integer')
  id!: number;

  /** Encrypted by `SecretsCipher`. */
  @Column('text')
  secret!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
