import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A single-use token of a delivery that was accepted. It belongs to no account. */
@Entity('spent_tokens')
@Index('spent_tokens_spent_at_idx', ['spentAt'])
@Check('spent_tokens_token_hash_check', 'octet_length(token_hash) = 32')
@Check('spent_tokens_keys_hash_check', 'octet_length(keys_hash) = 32')
export class SpentToken {
  /** SHA-256. */
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Column('uuid', { name: 'source_id' })
  sourceId!: string;

  /** SHA-256 of the keys of the events, which a retry repeats. */
  @Column('bytea', { name: 'keys_hash' })
  keysHash!: Buffer;

  @Column('timestamptz', { name: 'spent_at', default: () => 'now()' })
  spentAt!: Date;
}
