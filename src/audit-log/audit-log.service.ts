import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, In, LessThan, MoreThanOrEqual, Repository, type FindOptionsWhere } from 'typeorm';
import { AuditEntry, type AuditAction } from '../audit/audit-entry.entity.js';
import { findPage, type Cursor, type Page } from '../http/page.js';
import { Invalid, parseId } from '../validation/parsers.js';

/** An undefined field matches all entries. */
export interface AuditFilter {
  /** The id or the exact name of an actor. */
  actor?: string | undefined;
  actions?: readonly AuditAction[] | undefined;
  createdFrom?: Date | undefined;
  createdBefore?: Date | undefined;
}

/** Reads the audit log. Each service records its own changes with `recordAudit`. */
@Injectable()
export class AuditLogService {
  constructor(@InjectRepository(AuditEntry) private readonly entries: Repository<AuditEntry>) {}

  /** Newest first. */
  page(accountId: number, cursor: Cursor, filter: AuditFilter = {}): Promise<Page<AuditEntry>> {
    return findPage(this.entries, [{ accountId, ...conditionsOf(filter) }], cursor);
  }
}

function conditionsOf({
  actor,
  actions,
  createdFrom,
  createdBefore,
}: AuditFilter): FindOptionsWhere<AuditEntry> {
  const times = [
    ...(createdFrom ? [MoreThanOrEqual(createdFrom)] : []),
    ...(createdBefore ? [LessThan(createdBefore)] : []),
  ];
  return {
    ...(actor !== undefined && actorCondition(actor)),
    ...(actions && { action: In(actions) }),
    ...(times.length > 0 && { createdAt: And(...times) }),
  };
}

function actorCondition(actor: string): FindOptionsWhere<AuditEntry> {
  const id = parseId(actor);
  return id instanceof Invalid ? { actorName: actor } : { actorId: id };
}
