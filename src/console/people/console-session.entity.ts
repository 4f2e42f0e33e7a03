import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Person } from './person.entity.js';

/** A browser in which a person is signed in. Signing out deletes it. */
@Entity('console_sessions')
@Index('console_sessions_account_id_person_id_idx', ['accountId', 'personId'])
@Check('console_sessions_token_hash_check', 'octet_length(token_hash) = 32')
@ForeignKey(() => Person, ['accountId', 'personId'], ['accountId', 'id'], {
  name: 'console_sessions_person_id_fkey',
  onDelete: 'CASCADE',
})
export class ConsoleSession {
  /** SHA-256 of the token in the cookie. */
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Column('integer', { name: 'account_id' })
  accountId!: number;

  @Column('uuid', { name: 'person_id' })
  personId!: string;

  @Column('timestamptz', { name: 'signed_in_at', default: () => 'now()' })
  signedInAt!: Date;

  /** Precise to the minute. */
  @Column('timestamptz', { name: 'last_seen_at', default: () => 'now()' })
  lastSeenAt!: Date;
}

/** The condition in SQL of a session that has not ended: 12 hours after its last use, or 7 days after the sign-in. */
export const SESSION_IS_OPEN =
  "last_seen_at > now() - interval '12 hours' AND signed_in_at > now() - interval '7 days'";
