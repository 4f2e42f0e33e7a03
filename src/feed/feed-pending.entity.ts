import { Column, Entity, Generated, PrimaryColumn } from 'typeorm';

/** The changes of a statement that wait for their positions. */
@Entity('feed_pending')
export class FeedPending {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** From a sequence, while the statement holds the locks on what it changes. */
  @PrimaryColumn('bigint')
  @Generated()
  id!: string;

  @Column('uuid', { name: 'change_ids', array: true })
  changeIds!: string[];
}
