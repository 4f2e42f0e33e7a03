import { Column, Entity, PrimaryColumn } from 'typeorm';

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
