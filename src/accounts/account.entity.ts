import { Check, Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** Who owns a list. */
@Entity('accounts')
@Unique('accounts_name_key', ['name'])
@Check('accounts_name_check', `name ~ '^[a-z0-9][a-z0-9-]{0,62}$'`)
export class Account {
  @PrimaryGeneratedColumn('identity')
  id!: number;

  @Column('text')
  name!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** Null until the account is admitted to the private beta. */
  @Column('timestamptz', { name: 'beta_admitted_at', nullable: true })
  betaAdmittedAt!: Date | null;
}
