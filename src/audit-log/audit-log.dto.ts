import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { actorIn } from '../audit/actor-columns.js';
import {
  AUDIT_ACTION_MEANINGS,
  AUDIT_SUBJECTS,
  type AuditAction,
  type AuditChanges,
  type AuditEntry,
} from '../audit/audit-entry.entity.js';
import { CursorDto, pageOf } from '../http/page.js';
import { enumOf, nullableText, objectWithId, text, timestamp } from '../http/properties.js';
import { ActorDto } from '../ledger/evidence.dto.js';
import { IsText, OptionalOneOf, OptionalParsed } from '../validation/field.decorators.js';
import { parseTimestamp, type Timestamp } from '../validation/parsers.js';
import type { AuditFilter } from './audit-log.service.js';

const MAX_ACTOR_LENGTH = 320;
const ACTION_MEANINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(AUDIT_SUBJECTS).map(([name, subject]) => [name, `all actions on ${subject}`]),
  ),
  ...AUDIT_ACTION_MEANINGS,
};
const ACTIONS = Object.keys(ACTION_MEANINGS);

export class ListAuditLogDto extends CursorDto implements AuditFilter {
  @ApiPropertyOptional({
    type: String,
    description:
      'Only changes by this actor, given by its id or its exact name, such as the address of a person.',
    maxLength: MAX_ACTOR_LENGTH,
  })
  @IsOptional()
  @IsText(MAX_ACTOR_LENGTH)
  actor?: string;

  @ApiPropertyOptional({
    ...enumOf('Only this action, or all actions on one kind of subject.', ACTION_MEANINGS),
  })
  @OptionalOneOf(ACTIONS)
  action?: string;

  @ApiPropertyOptional(timestamp('Only changes made after this timestamp. A date means midnight UTC.'))
  @OptionalParsed(parseTimestamp)
  created_after?: Timestamp;

  @ApiPropertyOptional(timestamp('Only changes made before this timestamp. A date means midnight UTC.'))
  @OptionalParsed(parseTimestamp)
  created_before?: Timestamp;
}

export class AuditSubjectDto {
  @ApiProperty(nullableText('Null for the settings of the account.', '0198a5f4-1c7d-7b2e-9f40-2a3b4c5d6e7f'))
  id!: string | null;

  @ApiProperty(text('Its name at that time. For a webhook, the host of its endpoint.', 'mailer'))
  name!: string;
}

export class AuditEntryDto extends objectWithId('audit_entry', {
  example: '0198a5f4-1c7e-7d10-8a3b-5c6d7e8f9a0b',
}) {
  @ApiProperty({ ...enumOf('', AUDIT_ACTION_MEANINGS), example: 'api_key.created' })
  action: AuditAction;

  @ApiProperty({ type: AuditSubjectDto, description: 'The object of the action.' })
  subject: AuditSubjectDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: {
      type: 'object',
      required: ['from', 'to'],
      properties: { from: { nullable: true }, to: { nullable: true } },
    },
    description: 'The fields that changed, without secrets and without addresses of recipients.',
    example: { scopes: { from: null, to: ['suppressions:read'] } },
  })
  changes: AuditChanges;

  @ApiProperty({ type: ActorDto, description: 'Who made the change.' })
  actor: ActorDto;

  @ApiProperty({ format: 'date-time', example: '2026-01-15T09:30:00.000Z' })
  created_at: string;

  constructor(entry: AuditEntry) {
    super(entry);
    this.action = entry.action;
    this.subject = { id: entry.subjectId, name: entry.subjectName };
    this.changes = entry.changes;
    this.actor = actorIn(entry);
    this.created_at = entry.createdAt.toISOString();
  }
}

export class AuditLogPageDto extends pageOf(AuditEntryDto) {}
