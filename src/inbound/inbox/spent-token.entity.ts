import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A token that is good for one delivery only, and was used for it. It is no account's. */
@Entity('spent_tokens')
@Index('spent_tokens_spent_at_idx', ['spentAt'])
@Check('spent_tokens_token_hash_check', 'octet_length(token_hash) = 32')
@Check('spent_tokens_keys_hash_check', 'octet_length(keys_hash) = 32')
export class SpentToken {
  /** SHA-256. */
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  /** The source that it came from. */
  @Column('uuid', { name: 'source_id' })
  sourceId!: string;

  /** SHA-256 of the keys of the delivery's events: a retry has the same. */
  @Column('bytea', { name: 'keys_hash' })
  keysHash!: Buffer;

  @Column('timestamptz', { name: 'spent_at', default: () => 'now()' })
  spentAt!: Date;
}
