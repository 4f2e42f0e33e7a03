import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { actorIn } from '../audit/actor-columns.js';
import { pageOf } from '../http/page.js';
import { refPipe } from '../http/pipes.js';
import { enumOf, nullableText, nullableTimestamp, nullableUuid, objectWithId } from '../http/properties.js';
import { ActorDto } from '../ledger/evidence.dto.js';
import { MAX_NOTE_LENGTH } from '../ledger/evidence.js';
import { parseTopicRef, type TopicRef } from '../topics/topic-ref.js';
import { IsText, OneOf, OptionalParsed, Parsed } from '../validation/field.decorators.js';
import { Invalid, parseExpiry } from '../validation/parsers.js';
import { RejectUnknownFields } from '../validation/unknown-fields.js';
import { parsePattern, PATTERN_FORMS, type Pattern, type RuleRef } from './pattern.js';
import {
  RULE_ACTION_MEANINGS,
  RULE_EFFECT_MEANINGS,
  RULE_EFFECTS,
  type Rule,
  type RuleAction,
  type RuleChange,
  type RuleEffect,
} from './rule.entity.js';
import type { NewRule } from './rules.service.js';

/** Reads how a path names a rule. */
export const RuleRefPipe = refPipe('rule', (text): RuleRef | Invalid => {
  const pattern = parsePattern(text);
  return pattern instanceof Invalid
    ? new Invalid(`must be the id of a rule (a UUID) or a pattern: it ${pattern.problem}`)
    : { pattern };
});

const ID_EXAMPLE = '0198a5f4-1c7d-7b2e-9f40-2a3b4c5d6e7f';

const PATTERN = {
  type: String,
  description:
    'The addresses that the rule applies to: one address, `example.com` (that domain), `*.example.com` (all its ' +
    'subdomains), or `abuse@*` (that local part at any domain).',
  example: '*.example.com',
};

const EFFECT = {
  ...enumOf('', RULE_EFFECT_MEANINGS),
  example: 'block' as const,
};

export class RuleIdDto extends objectWithId('rule', { example: ID_EXAMPLE }) {}

export class RuleDto extends RuleIdDto {
  @ApiProperty(PATTERN)
  pattern: string;

  @ApiProperty(EFFECT)
  effect: RuleEffect;

  @ApiProperty(
    nullableUuid('The id of the topic that the rule is limited to. Null if it applies to all mail.', null),
  )
  topic: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'They closed their mail server' })
  note: string | null;

  @ApiProperty(nullableTimestamp('When the rule expires.', null))
  expires_at: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-01-15T09:30:00.000Z' })
  created_at: string;

  constructor(rule: Rule) {
    super(rule);
    this.pattern = rule.pattern;
    this.effect = rule.effect;
    this.topic = rule.topicId;
    this.note = rule.note;
    this.expires_at = rule.expiresAt?.toISOString() ?? null;
    this.created_at = rule.createdAt.toISOString();
  }
}

export class DeletedRuleDto extends RuleIdDto {
  @ApiProperty({ example: true })
  deleted: boolean = true;
}

export class RulesPageDto extends pageOf(RuleDto) {}

@ApiSchema({ name: 'PutRuleRequest' })
@RejectUnknownFields()
export class PutRuleDto {
  @ApiProperty(PATTERN)
  @Parsed(parsePattern, PATTERN_FORMS)
  pattern!: Pattern;

  @ApiProperty(EFFECT)
  @OneOf(RULE_EFFECTS)
  effect!: RuleEffect;

  @ApiPropertyOptional(
    nullableText(
      'The id or the key of the topic that the rule is limited to. Without it, the rule applies to all mail.',
      'news',
    ),
  )
  @OptionalParsed(parseTopicRef)
  topic?: TopicRef | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'The reason for the rule.',
    maxLength: MAX_NOTE_LENGTH,
    example: 'They closed their mail server',
  })
  @IsOptional()
  @IsText(MAX_NOTE_LENGTH)
  note?: string | null;

  @ApiPropertyOptional(nullableTimestamp('When the rule expires. If null or absent, it never expires.'))
  @OptionalParsed(parseExpiry)
  expires_at?: Date | null;

  toNewRule(): NewRule {
    const { pattern, effect, topic = null, note = null, expires_at: expiresAt = null } = this;
    return { pattern, effect, topic, note, expiresAt };
  }
}

export class RuleChangeDto extends objectWithId('rule_change', {
  example: '0198a5f4-1c7e-7d10-8a3b-5c6d7e8f9a0b',
}) {
  @ApiProperty({ ...enumOf('', RULE_ACTION_MEANINGS), example: 'created' })
  action: RuleAction;

  @ApiProperty({ format: 'uuid', example: '0198a5f4-1c7d-7b2e-9f40-2a3b4c5d6e7f' })
  rule_id: string;

  @ApiProperty({ example: '*.example.com' })
  pattern: string;

  @ApiProperty({ ...enumOf('', RULE_EFFECT_MEANINGS), example: 'block' })
  effect: RuleEffect;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: null })
  topic: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'They closed their mail server' })
  note: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  expires_at: string | null;

  @ApiProperty({ type: ActorDto, description: 'Who made the change.' })
  actor: ActorDto;

  @ApiProperty({ format: 'date-time', example: '2026-01-15T09:30:00.000Z' })
  created_at: string;

  constructor(change: RuleChange) {
    super(change);
    this.action = change.action;
    this.rule_id = change.ruleId;
    this.pattern = change.pattern;
    this.effect = change.effect;
    this.topic = change.topicId;
    this.note = change.note;
    this.expires_at = change.expiresAt?.toISOString() ?? null;
    this.actor = actorIn(change.actor);
    this.created_at = change.createdAt.toISOString();
  }
}

export class RuleHistoryPageDto extends pageOf(RuleChangeDto) {}
