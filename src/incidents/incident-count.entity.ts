import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';

/** The hash of no answer, in the rows with all results. */
export const NO_TEXT = '00000000-0000-0000-0000-000000000000';

/** Of the mail to a group of domains, in the five minutes from `at`. It has no addresses. */
@Entity('incident_counts')
@Index('incident_counts_texts_idx', { synchronize: false })
export class IncidentCount {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  at!: Date;

  /** The answer to the addresses that bounced, or {@link NO_TEXT}. */
  @PrimaryColumn('uuid', {
    name: 'text_hash',
    comment: 'Zeros in the row with all results, and with bounces without an answer',
  })
  textHash!: string;

  @PrimaryColumn({ type: 'text', name: 'receiving_group', collation: 'C' })
  group!: string;

  /** Deliveries and failures. */
  @Column('integer')
  results!: number;

  /** Addresses that bounced permanently. */
  @Column('integer')
  addresses!: number;

  /** How many of them any delivery is known of. */
  @Column('integer')
  known!: number;

  /** How many of them were delivered to within 30 days. */
  @Column('integer')
  recent!: number;
}

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
