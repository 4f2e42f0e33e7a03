import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../../accounts/account.entity.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { ROLES, type Role } from './roles.js';

/** Somebody who may use the console of an account. Who works for several accounts is a person of each. */
@Entity('people')
@Unique('people_account_id_email_key', ['accountId', 'email'])
@Check('people_email_check', 'octet_length(email) BETWEEN 1 AND 320')
export class Person {
  @ForeignKey(() => Account, { name: 'people_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  email!: EmailAddress;

  @Column({ type: 'enum', enum: [...ROLES], enumName: 'person_role' })
  role!: Role;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
