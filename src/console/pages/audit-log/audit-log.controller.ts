import { Get, Query } from '@nestjs/common';
import { AuditLogService } from '../../../audit-log/audit-log.service.js';
import { ListAuditLogDto } from '../../../audit-log/list-audit-log.dto.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { readAs, textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { Visitor } from '../../people/sessions.service.js';
import { AuditLogPage, type EnteredAuditFilter } from './audit-log.view.js';

const ROWS = '50';

@ConsoleController('audit-log')
@RequireRole('admin')
export class AuditLogPageController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get()
  show(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    const entered = filterIn(query);
    const [after, before] = [textOf(query, 'after'), textOf(query, 'before')];
    return submit(
      async () => {
        const asked = await readAs(ListAuditLogDto, { ...entered, after, before, limit: ROWS });
        const page = await this.auditLog.page(visitor.accountId, asked, asked.toFilter());
        return AuditLogPage({ visitor, entered, cursor: asked, page });
      },
      (problem) => AuditLogPage({ visitor, entered, problem }),
    );
  }
}

function filterIn(query: Fields): EnteredAuditFilter {
  return {
    actor: textOf(query, 'actor'),
    action: textOf(query, 'action'),
    created_after: textOf(query, 'created_after'),
    created_before: textOf(query, 'created_before'),
  };
}
