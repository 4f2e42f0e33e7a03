import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';

/** How far the feed of an account reaches. An account that nobody follows has none. */
@Entity('feed_heads')
export class FeedHead {
  @ForeignKey(() => Account, { name: 'feed_heads_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @Column('bigint', { name: 'last_position', default: 0 })
  lastPosition!: string;
}
