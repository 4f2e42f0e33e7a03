import { Controller, Get, Query } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { CursorDto } from '../http/page.js';
import { AuditLogPageDto } from './audit-entry.dto.js';
import { AuditLogService } from './audit-log.service.js';
import * as operations from './operations.js';

@Controller('audit-log')
export class AuditLogController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get()
  @operations.ListAuditLog()
  async list(@CurrentCaller() { accountId }: Caller, @Query() cursor: CursorDto): Promise<AuditLogPageDto> {
    return new AuditLogPageDto(await this.auditLog.page(accountId, cursor));
  }
}
