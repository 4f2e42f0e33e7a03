import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import type { EmailAddress } from '../email-address/email-address.js';

/** An erased address whose block the account keeps. All tables have its pseudonym instead of the address. */
@Entity('kept_blocks')
@Index('kept_blocks_account_id_announced_at_pseudonym_idx', ['accountId', 'announcedAt', 'pseudonym'])
export class KeptBlock {
  @ForeignKey(() => Account, { name: 'kept_blocks_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  pseudonym!: EmailAddress;

  /** See `maskedFilter`. */
  @Column('integer')
  filter!: number;

  /** When it was last announced to writers that the address, or its pseudonym, is about to be erased. */
  @Column({ type: 'timestamptz', name: 'announced_at', precision: 3, default: () => 'clock_timestamp()' })
  announcedAt!: Date;

  /** When the pseudonym replaced the address in the state that verdicts depend on. Null before that. */
  @Column({ type: 'timestamptz', name: 'renamed_at', precision: 3, nullable: true })
  renamedAt!: Date | null;
}

/** The key of an account for the pseudonyms of erased addresses, encrypted. */
@Entity('erasure_keys')
export class ErasureKey {
  @ForeignKey(() => Account, { name: 'erasure_keys_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @Column('text')
  secret!: string;
}
