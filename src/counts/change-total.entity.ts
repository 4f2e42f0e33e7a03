import { Column, Entity, PrimaryColumn } from 'typeorm';
import { CAUSES, type Cause } from '../ledger/cause.js';

/** How many records of a cause an account added or removed on a day, up to {@link CountedAccount.changesUntil}. */
@Entity('change_totals')
export class ChangeTotal {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** In UTC. */
  @PrimaryColumn('date')
  day!: string;

  @PrimaryColumn({ type: 'enum', enum: [...CAUSES], enumName: 'suppression_cause' })
  cause!: Cause;

  @PrimaryColumn('boolean', { name: 'is_removal' })
  isRemoval!: boolean;

  @Column('bigint')
  count!: string;
}
