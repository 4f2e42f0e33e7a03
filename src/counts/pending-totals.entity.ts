import { Column, Entity, Generated, PrimaryColumn } from 'typeorm';

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
