import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which share of the results of a day bounced with one answer, or in one group. Tiny shares are left out. */
@Entity('incident_shares')
export class IncidentShare {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'The hash of an answer, or a group of domains' })
  key!: string;

  @PrimaryColumn('date')
  day!: string;

  @Column('real')
  share!: number;
}
