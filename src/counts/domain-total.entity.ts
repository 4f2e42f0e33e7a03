import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How many records an account has at a domain. Pending changes are not included. */
@Entity('domain_totals')
@Index('domain_totals_account_id_count_idx', { synchronize: false })
export class DomainTotal {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  domain!: string;

  @Column('bigint')
  count!: string;
}
