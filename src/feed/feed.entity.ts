import { Column, Entity, ForeignKey, Generated, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';

@Entity('feed_heads')
export class FeedHead {
  @ForeignKey(() => Account, { name: 'feed_heads_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @Column('bigint', { name: 'last_position', default: 0 })
  lastPosition!: string;
}

/** Up to 100 changes with consecutive positions. */
@Entity('feed_pages')
export class FeedPage {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('bigint', { name: 'first_position' })
  firstPosition!: string;

  @Column('uuid', { name: 'change_ids', array: true })
  changeIds!: string[];
}

/** The changes of a statement, which are waiting for their positions. */
@Entity('feed_pending')
export class FeedPending {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** Drawn from a sequence while the statement holds the locks on the rows that it changes. */
  @PrimaryColumn('bigint')
  @Generated()
  id!: string;

  @Column('uuid', { name: 'change_ids', array: true })
  changeIds!: string[];
}
