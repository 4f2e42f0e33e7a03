import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Lift } from './lift.entity.js';

/** How many lines of a lift have a domain, or a diagnostic. */
@Entity('lift_totals')
@Check('lift_totals_grouping_check', `grouping IN ('domain', 'diagnostic')`)
@ForeignKey(() => Lift, ['accountId', 'liftId'], ['accountId', 'id'], {
  name: 'lift_totals_lift_id_fkey',
  onDelete: 'CASCADE',
})
export class LiftTotal {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'lift_id' })
  liftId!: string;

  @PrimaryColumn('text')
  grouping!: 'domain' | 'diagnostic';

  /** The domain, or the fingerprint of the diagnostic, which is empty for lines without one. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  key!: string;

  @Column('integer')
  count!: number;
}
