import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../accounts/account.entity.js';
import { ActorColumns } from '../audit/actor-columns.js';
import { Topic } from '../topics/topic.entity.js';
import type { Pattern } from './pattern.js';

export const RULE_EFFECT_MEANINGS = {
  allow: 'bounces and less specific rules do not suppress',
  block: 'addresses that match must not be mailed',
} as const;

export type RuleEffect = keyof typeof RULE_EFFECT_MEANINGS;

export const RULE_EFFECTS = Object.keys(RULE_EFFECT_MEANINGS) as readonly RuleEffect[];

abstract class RuleColumns {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** A UUIDv7. */
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  pattern!: Pattern;

  @Column({ type: 'enum', enum: [...RULE_EFFECTS], enumName: 'rule_effect' })
  effect!: RuleEffect;

  /** Null if the rule applies to all mail. */
  @Column('uuid', { name: 'topic_id', nullable: true })
  topicId!: string | null;

  @Column('text', { nullable: true })
  note!: string | null;

  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

/** An account's decision about all addresses that match a pattern. A rule that replaces another one keeps its id. */
@Entity('rules')
@Unique('rules_account_id_pattern_topic_id_key', ['accountId', 'pattern', 'topicId'])
@Index('rules_account_id_pattern_idx', ['accountId', 'pattern'], { unique: true, where: 'topic_id IS NULL' })
@ForeignKey(() => Account, ['accountId'], ['id'], { name: 'rules_account_id_fkey' })
@ForeignKey(() => Topic, ['accountId', 'topicId'], ['accountId', 'id'], { name: 'rules_topic_id_fkey' })
@Check('rules_pattern_check', 'octet_length(pattern) BETWEEN 1 AND 320')
@Check('rules_note_check', 'char_length(note) <= 1000')
export class Rule extends RuleColumns {}

export const RULE_ACTION_MEANINGS = {
  created: 'the rule was created',
  replaced: 'its effect, note, or expiry changed',
  deleted: 'the rule was deleted',
} as const;

export type RuleAction = keyof typeof RULE_ACTION_MEANINGS;

/** A rule as it was after a change. */
@Entity('rule_changes')
@Index('rule_changes_account_id_rule_id_id_idx', ['accountId', 'ruleId', 'id'])
@Index('rule_changes_account_id_pattern_id_idx', ['accountId', 'pattern', 'id'], {
  where: 'topic_id IS NULL',
})
export class RuleChange extends RuleColumns {
  @Column({ type: 'enum', enum: Object.keys(RULE_ACTION_MEANINGS), enumName: 'rule_action' })
  action!: RuleAction;

  @Column('uuid', { name: 'rule_id' })
  ruleId!: string;

  @Column(() => ActorColumns, { prefix: false })
  actor!: ActorColumns;
}
