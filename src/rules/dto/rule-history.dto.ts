import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { pageOf } from '../../http/page.js';
import { actorIn } from '../../audit/actor.js';
import { ActorDto } from '../../ledger/actor.dto.js';
import { RULE_ACTION_MEANINGS, type RuleAction, type RuleChange } from '../rule-change.entity.js';
import { RULE_EFFECT_MEANINGS, type RuleEffect } from '../rule.entity.js';
import { enumOf } from '../../validation/enum-of.js';

@ApiSchema({ name: 'RuleChange' })
export class RuleChangeDto {
  @ApiProperty({ enum: ['rule_change'], example: 'rule_change' })
  object = 'rule_change' as const;

  @ApiProperty({ format: 'uuid', example: '0198a5f4-1c7e-7d10-8a3b-5c6d7e8f9a0b' })
  id: string;

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
    this.id = change.id;
    this.action = change.action;
    this.rule_id = change.ruleId;
    this.pattern = change.pattern;
    this.effect = change.effect;
    this.topic = change.topicId;
    this.note = change.note;
    this.expires_at = change.expiresAt?.toISOString() ?? null;
    this.actor = actorIn(change);
    this.created_at = change.createdAt.toISOString();
  }
}

@ApiSchema({ name: 'RuleHistoryPage' })
export class RuleHistoryPageDto extends pageOf(RuleChangeDto) {}
