import { Get, Query } from '@nestjs/common';
import { AuditLogService } from '../../../audit-log/audit-log.service.js';
import type { HtmlResponse } from '../../../http/html-response.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { cursorIn, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { Visitor } from '../../people/sessions.service.js';
import { AuditLogPage } from './audit-log.view.js';

const ROWS = 50;

@ConsoleController('audit-log')
@RequireRole('admin')
export class AuditLogPageController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get()
  async show(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    const cursor = await cursorIn(query, ROWS);
    return AuditLogPage({ visitor, cursor, page: await this.auditLog.page(visitor.accountId, cursor) });
  }
}
