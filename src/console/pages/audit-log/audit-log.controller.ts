import { Get } from '@nestjs/common';
import { AuditLogService } from '../../../audit-log/audit-log.service.js';
import { ListAuditLogDto } from '../../../audit-log/audit-log.dto.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { CurrentVisit, cursorIn, readAs, type Visit } from '../../access/visit.js';
import { submit } from '../../access/submit.js';
import { pick } from '../../components/form.js';
import type { List } from '../../components/list-page.js';
import type { AuditEntry } from '../../../audit/audit-entry.entity.js';
import { AuditLogPage, type AuditFilter } from './audit-log.view.js';

const ROWS = '50';

@ConsoleController('audit-log', 'admin')
export class AuditLogPageController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get()
  show(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const filter = pick(visit.query, ['actor', 'action', 'created_after', 'created_before']);
    return submit(
      visit,
      async () => AuditLogPage({ visitor: visit, filter, list: await this.read(visit, filter) }),
      (refused) => AuditLogPage({ visitor: refused, filter }),
    );
  }

  private async read({ accountId, query }: Visit, filter: AuditFilter): Promise<List<AuditEntry>> {
    const asked = await readAs(ListAuditLogDto, { ...filter, ...cursorIn(query), limit: ROWS });
    return { ...(await this.auditLog.page(accountId, asked)), cursor: asked };
  }
}
