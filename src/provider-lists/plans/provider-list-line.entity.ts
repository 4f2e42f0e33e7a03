import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CAUSES, type Cause } from '../../ledger/cause.js';
import type { LineKind } from './line-kinds.js';
import { ProviderListPlan } from './provider-list-plan.entity.js';

/** One difference, or agreement, that a plan found. */
@Entity('provider_list_lines')
@Check('provider_list_lines_kind_check', `kind IN ('pull', 'push', 'remove', 'drift', 'cannot', 'agreed')`)
@Index('provider_list_lines_adds_idx', ['accountId', 'planId', 'email'], { where: 'adds' })
@ForeignKey(() => ProviderListPlan, ['accountId', 'planId'], ['accountId', 'id'], {
  name: 'provider_list_lines_plan_id_fkey',
  onDelete: 'CASCADE',
})
export class ProviderListLine {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'plan_id' })
  planId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  kind!: LineKind;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  email!: string;

  /** The name that the provider gives to the list; empty if it has none for the cause. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  list!: string;

  /** As the provider spells it; empty if the provider does not have it. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  address!: string;

  @Column({ type: 'enum', enum: [...CAUSES], enumName: 'suppression_cause', nullable: true })
  cause!: Cause | null;

  @Column({ type: 'timestamptz', name: 'listed_at', precision: 3, nullable: true })
  listedAt!: Date | null;

  /** A code of `LINE_REASONS`. */
  @Column('text', { nullable: true })
  reason!: string | null;

  /** Whether applying the plan adds the cause here. */
  @Column('boolean')
  adds!: boolean;

  /** The last change of the address when it was compared. */
  @Column('bigint')
  revision!: string;
}

/** What a provider had on its list when a plan read it. */
@Entity('provider_list_entries')
@ForeignKey(() => ProviderListPlan, ['accountId', 'planId'], ['accountId', 'id'], {
  name: 'provider_list_entries_plan_id_fkey',
  onDelete: 'CASCADE',
})
export class ProviderListEntry {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'plan_id' })
  planId!: string;

  /** In its normal form; the text of the provider if that is no address. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  email!: string;

  /** The name that the provider gives to the list. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  list!: string;

  /** As the provider spells it. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  address!: string;

  /** Null if the entry is no suppression here. */
  @Column({ type: 'enum', enum: [...CAUSES], enumName: 'suppression_cause', nullable: true })
  cause!: Cause | null;

  @Column({ type: 'timestamptz', name: 'listed_at', precision: 3, nullable: true })
  listedAt!: Date | null;

  /** The latest time that the date of the provider can mean. */
  @Column({ type: 'timestamptz', name: 'latest_at', precision: 3, nullable: true })
  latestAt!: Date | null;

  /** What the provider said about it, for the ledger. */
  @Column('text', { nullable: true })
  note!: string | null;

  /** Why the entry is no suppression here. */
  @Column('text', { nullable: true })
  problem!: string | null;

  /** Whether the provider had it only when an earlier plan was applied, and nobody has decided about it since. */
  @Column('boolean', { name: 'is_gone', default: false })
  isGone!: boolean;
}
