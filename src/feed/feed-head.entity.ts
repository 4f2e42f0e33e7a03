import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';

@Entity('feed_heads')
export class FeedHead {
  @ForeignKey(() => Account, { name: 'feed_heads_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @Column('bigint', { name: 'last_position', default: 0 })
  lastPosition!: string;
}
