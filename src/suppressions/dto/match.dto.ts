import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { CAUSE_MEANINGS, type Cause } from '../../ledger/cause.js';
import { RULE_EFFECT_MEANINGS, type RuleEffect } from '../../rules/rule.entity.js';
import { enumOf } from '../../validation/enum-of.js';
import type { Match } from '../verdict.js';
import { timestamp, uuid } from '../../http/properties.js';

const ID_EXAMPLE = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';
const MATCH_TYPES = ['suppression', 'preference', 'topic_default', 'rule'] as const;

@ApiSchema({ name: 'Match' })
export class MatchDto {
  @ApiProperty({
    enum: MATCH_TYPES,
    description:
      '`suppression`: a cause of the suppression. `preference`: the choice of the recipient for the topic. ' +
      '`topic_default`: the recipient made no choice, and the topic requires an opt-in. `rule`: a rule of the account.',
    example: 'suppression',
  })
  type: Match['type'];

  @ApiProperty(uuid('The id of the suppression, the topic, or the rule.', ID_EXAMPLE))
  id: string;

  @ApiPropertyOptional({ ...enumOf('The cause of a suppression.', CAUSE_MEANINGS), example: 'manual' })
  cause?: Cause;

  @ApiPropertyOptional(
    timestamp('When the bounce expires that an incident holds, unless it proves true. Only of held bounces.'),
  )
  held_until?: string;

  @ApiPropertyOptional(
    uuid('The id of the topic of a preference, a default, or a rule that is limited to a topic.'),
  )
  topic?: string;

  @ApiPropertyOptional(enumOf('The effect of a rule.', RULE_EFFECT_MEANINGS))
  effect?: RuleEffect;

  constructor(match: Match) {
    this.type = match.type;
    this.id = match.id;
    if (match.type === 'suppression') {
      this.cause = match.cause;
      if (match.heldUntil) {
        this.held_until = match.heldUntil;
      }
    } else if (match.topicId !== null) {
      this.topic = match.topicId;
    }
    if (match.type === 'rule') {
      this.effect = match.effect;
    }
  }
}
