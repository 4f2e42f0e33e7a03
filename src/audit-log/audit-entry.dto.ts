import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  AUDIT_ACTION_MEANINGS,
  type AuditAction,
  type AuditChanges,
  type AuditEntry,
} from '../audit/audit-entry.entity.js';
import { pageOf } from '../http/page.js';
import { actorIn } from '../audit/actor.js';
import { ActorDto } from '../ledger/actor.dto.js';
import { enumOf } from '../validation/enum-of.js';
import { nullableText, text } from '../http/properties.js';

@ApiSchema({ name: 'AuditSubject' })
export class AuditSubjectDto {
  @ApiProperty(nullableText('Null for the settings of the account.', '0198a5f4-1c7d-7b2e-9f40-2a3b4c5d6e7f'))
  id!: string | null;

  @ApiProperty(text('Its name at that time. For a webhook, the host of its endpoint.', 'mailer'))
  name!: string;
}

@ApiSchema({ name: 'AuditEntry' })
export class AuditEntryDto {
  @ApiProperty({ enum: ['audit_entry'], example: 'audit_entry' })
  object = 'audit_entry' as const;

  @ApiProperty({ format: 'uuid', example: '0198a5f4-1c7e-7d10-8a3b-5c6d7e8f9a0b' })
  id: string;

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
    this.id = entry.id;
    this.action = entry.action;
    this.subject = { id: entry.subjectId, name: entry.subjectName };
    this.changes = entry.changes;
    this.actor = actorIn(entry);
    this.created_at = entry.createdAt.toISOString();
  }
}

@ApiSchema({ name: 'AuditLogPage' })
export class AuditLogPageDto extends pageOf(AuditEntryDto) {}
