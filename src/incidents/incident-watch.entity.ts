import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';

/** How far the delivery events of an account have been counted. */
@Entity('incident_watches')
export class IncidentWatch {
  @ForeignKey(() => Account, { name: 'incident_watches_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @Column('uuid', { name: 'last_event_id' })
  lastEventId!: string;

  @Column('date', { comment: 'The first day without shares in incident_shares' })
  day!: string;
}
