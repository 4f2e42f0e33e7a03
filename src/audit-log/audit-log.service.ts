import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, In, LessThan, MoreThanOrEqual, Repository, type FindOptionsWhere } from 'typeorm';
import { AUDIT_ACTION_MEANINGS, AuditEntry, type AuditAction } from '../audit/audit-entry.entity.js';
import { findPage, type Cursor, type Page } from '../http/page.js';
import { requireRange } from '../http/require-range.js';
import { Invalid, parseId, type Timestamp } from '../validation/parsers.js';

/** An undefined field matches all entries. */
export interface AuditFilter {
  /** The id or the exact name of an actor. */
  actor?: string;
  /** An action, or the kind of subject of all actions. */
  action?: string;
  created_after?: Timestamp;
  created_before?: Timestamp;
}

/** Reads the audit log. Each service records its own changes with `recordAudit`. */
@Injectable()
export class AuditLogService {
  constructor(@InjectRepository(AuditEntry) private readonly entries: Repository<AuditEntry>) {}

  /**
   * Newest first.
   *
   * @throws {ValidationError} if no time is in the range
   */
  async page(accountId: number, query: Cursor & AuditFilter): Promise<Page<AuditEntry>> {
    requireRange(query);
    return findPage(this.entries, [{ accountId, ...conditionsOf(query) }], query);
  }
}

function conditionsOf({ actor, action, ...range }: AuditFilter): FindOptionsWhere<AuditEntry> {
  const { created_after: after, created_before: before } = range;
  const times = [
    ...(after ? [MoreThanOrEqual(new Date(after.floor + 1))] : []),
    ...(before ? [LessThan(new Date(before.ceil))] : []),
  ];
  return {
    ...(actor !== undefined && actorCondition(actor)),
    ...(action !== undefined && { action: In(actionsOf(action)) }),
    ...(times.length > 0 && { createdAt: And(...times) }),
  };
}

/** The action, or all actions on a kind of subject. */
function actionsOf(name: string): AuditAction[] {
  const actions = Object.keys(AUDIT_ACTION_MEANINGS) as AuditAction[];
  return actions.filter((action) => action === name || action.startsWith(`${name}.`));
}

function actorCondition(actor: string): FindOptionsWhere<AuditEntry> {
  const id = parseId(actor);
  return id instanceof Invalid ? { actorName: actor } : { actorId: id };
}
