import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { pageOf } from '../../http/page.js';
import { RULE_EFFECT_MEANINGS, type Rule, type RuleEffect } from '../rule.entity.js';
import { enumOf } from '../../validation/enum-of.js';
import { nullableTimestamp, nullableUuid } from '../../http/properties.js';

const ID_EXAMPLE = '0198a5f4-1c7d-7b2e-9f40-2a3b4c5d6e7f';

export const PATTERN = {
  type: String,
  description:
    'The addresses that the rule applies to: one address, `example.com` (that domain), `*.example.com` (all its ' +
    'subdomains), or `abuse@*` (that local part at any domain).',
  example: '*.example.com',
};

export const EFFECT = {
  ...enumOf('', RULE_EFFECT_MEANINGS),
  example: 'block' as const,
};

@ApiSchema({ name: 'RuleId' })
export class RuleIdDto {
  @ApiProperty({ enum: ['rule'], example: 'rule' })
  object = 'rule' as const;

  @ApiProperty({ format: 'uuid', example: ID_EXAMPLE })
  id: string;

  constructor({ id }: Rule) {
    this.id = id;
  }
}

@ApiSchema({ name: 'Rule' })
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

@ApiSchema({ name: 'DeletedRule' })
export class DeletedRuleDto extends RuleIdDto {
  @ApiProperty({ example: true })
  deleted: boolean = true;
}

@ApiSchema({ name: 'RulesPage' })
export class RulesPageDto extends pageOf(RuleDto) {}
