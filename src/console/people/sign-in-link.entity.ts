import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Person } from './person.entity.js';

/** A link that signs a person in once. Using it deletes it. */
@Entity('sign_in_links')
@Index('sign_in_links_account_id_person_id_idx', ['accountId', 'personId'])
@Check('sign_in_links_token_hash_check', 'octet_length(token_hash) = 32')
@ForeignKey(() => Person, ['accountId', 'personId'], ['accountId', 'id'], {
  name: 'sign_in_links_person_id_fkey',
  onDelete: 'CASCADE',
})
export class SignInLink {
  /** SHA-256 of the token in the link. */
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Column('integer', { name: 'account_id' })
  accountId!: number;

  @Column('uuid', { name: 'person_id' })
  personId!: string;

  /** The name of the person who made the link. */
  @Column('text', { name: 'invited_by' })
  invitedBy!: string;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
