import { ApiPropertyOptional } from '@nestjs/swagger';
import { requireRange } from '../http/require-range.js';
import { IsOptional } from 'class-validator';
import { AUDIT_ACTION_MEANINGS, AUDIT_SUBJECTS, type AuditAction } from '../audit/audit-entry.entity.js';
import { CursorDto } from '../http/page.js';
import { enumOf } from '../validation/enum-of.js';
import { IsText } from '../validation/text.decorator.js';
import { parseTimestamp, type Timestamp } from '../validation/timestamp.js';
import type { AuditFilter } from './audit-log.service.js';
import { OptionalOneOf, OptionalParsed } from '../validation/field.decorators.js';
import { timestamp } from '../http/properties.js';

const MAX_ACTOR_LENGTH = 320;
const ACTION_MEANINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(AUDIT_SUBJECTS).map(([name, subject]) => [name, `all actions on ${subject}`]),
  ),
  ...AUDIT_ACTION_MEANINGS,
};
const ACTIONS = Object.keys(ACTION_MEANINGS);

export class ListAuditLogDto extends CursorDto {
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

  /** @throws {ValidationError} */
  toFilter(): AuditFilter {
    requireRange(this);
    const { actor, action, created_after, created_before } = this;
    return {
      actor,
      actions: action === undefined ? undefined : actionsOf(action),
      createdFrom: created_after && new Date(created_after.floor + 1),
      createdBefore: created_before && new Date(created_before.ceil),
    };
  }
}

/** The action, or all actions on a kind of subject. */
function actionsOf(name: string): AuditAction[] {
  const actions = Object.keys(AUDIT_ACTION_MEANINGS) as AuditAction[];
  return actions.filter((action) => action === name || action.startsWith(`${name}.`));
}
