import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A token that is good for one delivery only, and was used for it. */
@Entity('spent_tokens')
export class SpentToken {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** The source that it came from. */
  @PrimaryColumn('uuid', { name: 'received_from' })
  receivedFrom!: string;

  @PrimaryColumn('text')
  token!: string;

  /** SHA-256 of the keys of the delivery's events: a retry has the same. */
  @Column('bytea', { name: 'keys_hash' })
  keysHash!: Buffer;

  @Column('timestamptz', { name: 'spent_at', default: () => 'now()' })
  spentAt!: Date;
}
