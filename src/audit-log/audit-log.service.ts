import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { findPage } from '../http/find-page.js';
import type { Cursor, Page } from '../http/page.js';

/** Reads the audit log. Each service writes its own changes, by `recordAudit`. */
@Injectable()
export class AuditLogService {
  constructor(@InjectRepository(AuditEntry) private readonly entries: Repository<AuditEntry>) {}

  /** Newest first. */
  page(accountId: number, cursor: Cursor): Promise<Page<AuditEntry>> {
    return findPage(this.entries, [{ accountId }], cursor);
  }
}
