import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../../accounts/account.entity.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { ROLES, type Role } from './roles.js';

/** A user of the console of an account. A user of several accounts is a separate person in each. */
@Entity('people')
@Unique('people_account_id_email_key', ['accountId', 'email'])
@Unique('people_oidc_subject_key', ['accountId', 'oidcIssuer', 'oidcSubject'])
@Check('people_oidc_check', 'num_nonnulls(oidc_issuer, oidc_subject) IN (0, 2)')
@Check('people_email_check', 'octet_length(email) BETWEEN 1 AND 320')
export class Person {
  @ForeignKey(() => Account, { name: 'people_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  email!: EmailAddress;

  /** The identity provider at which the person signed in; null if the person has only used links. */
  @Column({ type: 'text', collation: 'C', name: 'oidc_issuer', nullable: true })
  oidcIssuer!: string | null;

  /** The id of the person at that provider (`sub`). An address can change, and can be given to somebody else. */
  @Column({ type: 'text', collation: 'C', name: 'oidc_subject', nullable: true })
  oidcSubject!: string | null;

  @Column({ type: 'enum', enum: [...ROLES], enumName: 'person_role' })
  role!: Role;

  /** After the first sign-in, only the operator may create a link for the person. */
  @Column({ type: 'timestamptz', name: 'first_signed_in_at', precision: 3, nullable: true })
  firstSignedInAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

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
