import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../../accounts/account.entity.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { ROLES, type Role } from './roles.js';

/** Somebody who may use the console of an account. Who works for several accounts is a person of each. */
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

  /** Who the person is at that provider (`sub`). The address of a person can change, and can be given to somebody else. */
  @Column({ type: 'text', collation: 'C', name: 'oidc_subject', nullable: true })
  oidcSubject!: string | null;

  @Column({ type: 'enum', enum: [...ROLES], enumName: 'person_role' })
  role!: Role;

  /** From the first sign-in on, nobody but the operator makes a link for the person. */
  @Column({ type: 'timestamptz', name: 'first_signed_in_at', precision: 3, nullable: true })
  firstSignedInAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
