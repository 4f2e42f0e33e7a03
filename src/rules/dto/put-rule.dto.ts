import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { parseTopicRef, type TopicRef } from '../../topics/topic-ref.js';
import { parseExpiry } from '../../validation/expiry.js';
import { RejectUnknownFields } from '../../validation/reject-unknown-fields.decorator.js';
import { IsText } from '../../validation/text.decorator.js';
import { parsePattern, PATTERN_FORMS, type Pattern } from '../pattern.js';
import { RULE_EFFECTS, type RuleEffect } from '../rule.entity.js';
import type { NewRule } from '../rules.service.js';
import { EFFECT, PATTERN } from './rule.dto.js';
import { OneOf, OptionalParsed, Parsed } from '../../validation/field.decorators.js';
import { nullableTimestamp } from '../../http/properties.js';

const MAX_NOTE_LENGTH = 1000;

@ApiSchema({ name: 'PutRuleRequest' })
@RejectUnknownFields()
export class PutRuleDto {
  @ApiProperty(PATTERN)
  @Parsed(parsePattern, PATTERN_FORMS)
  pattern!: Pattern;

  @ApiProperty(EFFECT)
  @OneOf(RULE_EFFECTS)
  effect!: RuleEffect;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'The id or the key of the topic that the rule is limited to. Without it, the rule applies to all mail.',
    example: 'news',
  })
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
