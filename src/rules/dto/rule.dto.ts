import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import { PageDto, type Page } from '../../http/page.js';
import { parseTopicRef, type TopicRef } from '../../topics/topic-ref.js';
import { parseExpiry } from '../../validation/expiry.js';
import { IsParsed, Parse } from '../../validation/parse.decorator.js';
import { IsText } from '../../validation/text.decorator.js';
import { RejectUnknownFields } from '../../validation/reject-unknown-fields.decorator.js';
import { parsePattern, PATTERN_FORMS, type Pattern } from '../pattern.js';
import { RULE_EFFECT_MEANINGS, RULE_EFFECTS, type Rule, type RuleEffect } from '../rule.entity.js';
import type { NewRule } from '../rules.service.js';
import { enumOf } from '../../validation/enum-of.js';

const MAX_NOTE_LENGTH = 1000;
const ID_EXAMPLE = '0198a5f4-1c7d-7b2e-9f40-2a3b4c5d6e7f';

const PATTERN = {
  type: String,
  description:
    'What the rule matches: an address, `example.com` (that domain), `*.example.com` (all its subdomains), or `abuse@*` ' +
    '(that name at any domain).',
  example: '*.example.com',
};
const EFFECT = {
  ...enumOf('', RULE_EFFECT_MEANINGS),
  example: 'block' as const,
};

@ApiSchema({ name: 'PutRuleRequest' })
@RejectUnknownFields()
export class PutRuleDto {
  @ApiProperty(PATTERN)
  @Expose()
  @Parse(parsePattern)
  @IsParsed('isPattern', PATTERN_FORMS)
  pattern!: Pattern;

  @ApiProperty(EFFECT)
  @Expose()
  @IsIn(RULE_EFFECTS, { message: `must be one of ${RULE_EFFECTS.join(', ')}` })
  effect!: RuleEffect;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'The id or the key of the topic that the rule is limited to. Without it the rule holds for all mail.',
    example: 'news',
  })
  @Expose()
  @Parse((input) => (input === null ? null : parseTopicRef(input)))
  @IsOptional()
  @IsParsed('isTopicRef', 'must be the id or the key of a topic')
  topic?: TopicRef | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Why, for those who read the rule.',
    maxLength: MAX_NOTE_LENGTH,
    example: 'They closed their mail server',
  })
  @IsOptional()
  @IsText(MAX_NOTE_LENGTH)
  note?: string | null;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the rule ends. Null or absent: never.',
  })
  @Expose()
  @Parse(parseExpiry)
  @IsOptional()
  @IsParsed('isExpiry', 'must be a timestamp in the future')
  expires_at?: Date | null;

  toNewRule(): NewRule {
    const { pattern, effect, topic = null, note = null, expires_at: expiresAt = null } = this;
    return { pattern, effect, topic, note, expiresAt };
  }
}

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

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The id of the topic that the rule is limited to. Null: it holds for all mail.',
    example: null,
  })
  topic: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'They closed their mail server' })
  note: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the rule ends.',
    example: null,
  })
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
export class RulesPageDto extends PageDto {
  @ApiProperty({ description: 'Newest first.', type: [RuleDto] })
  data: RuleDto[];

  constructor({ elements, hasMore }: Page<Rule>) {
    super(hasMore);
    this.data = elements.map((rule) => new RuleDto(rule));
  }
}
