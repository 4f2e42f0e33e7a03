import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EmailAddress } from '../email-address/email-address.js';

/** Of withdrawals by anybody but a source. */
export const NO_SOURCE = '00000000-0000-0000-0000-000000000000';

/** When a cause or an opt-out of an address was last withdrawn. A trigger derives it from the ledger. */
@Entity('withdrawals')
export class Withdrawal {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  email!: EmailAddress;

  /** A cause, or the id of a topic. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  subject!: string;

  /**
   * The source that reported it; {@link NO_SOURCE} if it was no source; all ones if a recipient subscribed again through a
   * source.
   */
  @PrimaryColumn('uuid', { name: 'source_id' })
  sourceId!: string;

  @Column({ type: 'timestamptz', name: 'withdrawn_at', precision: 3 })
  withdrawnAt!: Date;
}
