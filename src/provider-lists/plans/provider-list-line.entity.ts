import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CAUSES, type Cause } from '../../ledger/cause.js';
import type { LineKind } from './line-kinds.js';
import { ProviderListPlan } from './provider-list-plan.entity.js';

/** An address of a plan. */
abstract class PlannedAddress {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'plan_id' })
  planId!: string;

  /** The address in its normal form, or the provider's text if it is not an address. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  email!: string;

  /** The provider's name for the list; empty if it has no list for the cause. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  list!: string;

  /** The address in the provider's spelling; empty if the provider does not have it. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  address!: string;

  /** Null if the entry of the provider does not count as a suppression. */
  @Column({ type: 'enum', enum: [...CAUSES], enumName: 'suppression_cause', nullable: true })
  cause!: Cause | null;

  @Column({ type: 'timestamptz', name: 'listed_at', precision: 3, nullable: true })
  listedAt!: Date | null;
}

/** One difference, or agreement, that a plan found. */
@Entity('provider_list_lines')
@Check('provider_list_lines_kind_check', `kind IN ('pull', 'push', 'remove', 'drift', 'cannot', 'agreed')`)
@Index('provider_list_lines_adds_idx', ['accountId', 'planId', 'email'], { where: 'adds' })
@ForeignKey(() => ProviderListPlan, ['accountId', 'planId'], ['accountId', 'id'], {
  name: 'provider_list_lines_plan_id_fkey',
  onDelete: 'CASCADE',
})
export class ProviderListLine extends PlannedAddress {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  kind!: LineKind;

  /** A code of `LINE_REASONS`. */
  @Column('text', { nullable: true })
  reason!: string | null;

  /** Whether applying the plan adds the cause here. */
  @Column('boolean')
  adds!: boolean;

  /** The revision of the last change of the address when it was compared. */
  @Column('bigint')
  revision!: string;
}

/** An entry of a provider's list when a plan read it. */
@Entity('provider_list_entries')
@ForeignKey(() => ProviderListPlan, ['accountId', 'planId'], ['accountId', 'id'], {
  name: 'provider_list_entries_plan_id_fkey',
  onDelete: 'CASCADE',
})
export class ProviderListEntry extends PlannedAddress {
  /** The latest time that the provider's date can mean. */
  @Column({ type: 'timestamptz', name: 'latest_at', precision: 3, nullable: true })
  latestAt!: Date | null;

  /** The provider's remark on the entry, for the ledger. */
  @Column('text', { nullable: true })
  note!: string | null;

  /** Why the entry does not count as a suppression. */
  @Column('text', { nullable: true })
  problem!: string | null;

  /** Whether the entry is gone: the provider had it when an earlier plan was applied, and nobody has decided about it since. */
  @Column('boolean', { name: 'is_gone', default: false })
  isGone!: boolean;
}
