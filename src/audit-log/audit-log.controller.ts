import { Controller, Get, Query } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { AuditLogPageDto, ListAuditLogDto } from './audit-log.dto.js';
import { AuditLogService } from './audit-log.service.js';
import { operations } from './operations.js';

@Controller('audit-log')
export class AuditLogController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get()
  @operations.listAuditLog
  async list(@CurrentCaller() { accountId }: Caller, @Query() query: ListAuditLogDto) {
    return new AuditLogPageDto(await this.auditLog.page(accountId, query));
  }
}
