import { Column, Entity, PrimaryColumn } from 'typeorm';
import { COMPLAINT_REACHES, type ComplaintReach } from './account.entity.js';

/** Earlier values of the settings that verdicts depend on, for checks of a past date. */
@Entity('past_account_settings')
export class PastAccountSettings {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('timestamptz', { name: 'valid_until', default: () => 'clock_timestamp()' })
  validUntil!: Date;

  @Column({
    type: 'enum',
    enum: [...COMPLAINT_REACHES],
    enumName: 'complaint_reach',
    name: 'complaint_reach',
  })
  complaintReach!: ComplaintReach;
}
