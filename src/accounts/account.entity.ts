import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Who owns a list. */
@Entity('accounts')
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
