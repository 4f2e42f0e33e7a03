import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many records an account has of a day and a set of causes. Pending changes are not included. */
@Entity('day_totals')
export class DayTotal {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** The day of `created_at`, in UTC. */
  @PrimaryColumn('date')
  day!: string;

  /** All causes of the records, as a mask: see `causesIn`. */
  @PrimaryColumn('smallint')
  causes!: number;

  @Column('bigint')
  count!: string;
}
