import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import type { EmailAddress } from '../email-address/email-address.js';
import { LINE_STATUSES, type LineReason, type LineStatus } from './line-status.js';
import { Lift } from './lift.entity.js';

/** An address that a lift found. */
@Entity('lift_lines')
@Unique('lift_lines_account_id_email_lift_id_key', ['accountId', 'email', 'liftId'])
@ForeignKey(() => Lift, ['accountId', 'liftId'], ['accountId', 'id'], {
  name: 'lift_lines_lift_id_fkey',
  onDelete: 'CASCADE',
})
export class LiftLine {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'lift_id' })
  liftId!: string;

  /** In the order in which the causes were recorded, from 1. */
  @PrimaryColumn('integer')
  number!: number;

  @Column({ type: 'text', collation: 'C' })
  email!: EmailAddress;

  /** The ledger line that recorded the cause. */
  @Column('uuid', { name: 'change_id' })
  changeId!: string;

  /** The last revision of the record when it was counted. */
  @Column('bigint')
  revision!: string;

  @Column({ type: 'enum', enum: [...LINE_STATUSES], enumName: 'lift_line_status', default: 'planned' })
  status!: LineStatus;

  @Column('text', { nullable: true })
  reason!: LineReason | null;
}
