import { Controller, Get, Headers, Post, Query, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import { ReceivedFile, type FileBody } from '../http/body/unread-body.js';
import type { TracedResponse } from '../http/responses/response.js';
import { sendStream } from '../http/responses/send-stream.js';
import { CreateImportDto } from './create-import.dto.js';
import { ImportCursorDto, ImportDto, ImportsPageDto, toErrorsCsv } from './import.dto.js';
import { ImportsService } from './imports.service.js';
import { ImportId, operations } from './operations.js';

@Controller('imports')
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  @Post()
  @operations.createImport
  async create(
    @Context() context: RequestContext,
    @Query() query: CreateImportDto,
    @ReceivedFile(true) { file, filename }: FileBody,
    @Headers('Idempotency-Key') requestKey?: string,
  ) {
    return new ImportDto(await this.imports.create(context, query.toNewImport(filename), file, requestKey));
  }

  @Get()
  @operations.listImports
  async list(@CurrentCaller() { accountId }: Caller, @Query() { limit, after }: ImportCursorDto) {
    return new ImportsPageDto(await this.imports.list(accountId, limit, after));
  }

  @Get(':import')
  @operations.getImport
  async get(@CurrentCaller() { accountId }: Caller, @ImportId id: string) {
    return new ImportDto(await this.imports.get(accountId, id));
  }

  @Get(':import/errors')
  @operations.listImportErrors
  async errors(
    @CurrentCaller() { accountId }: Caller,
    @ImportId id: string,
    @Req() request: Request,
    @Res() response: TracedResponse,
  ): Promise<void> {
    await sendStream(request, response, toErrorsCsv(await this.imports.errors(accountId, id)), {
      contentType: 'text/csv; charset=utf-8',
      filename: `import-${id}-errors.csv`,
    });
  }

  @Post(':import/cancel')
  @operations.cancelImport
  async cancel(@ImportId id: string, @Context() context: RequestContext) {
    return new ImportDto(await this.imports.cancel(context, id));
  }

  @Post(':import/revert')
  @operations.revertImport
  async revert(@Context() context: RequestContext, @ImportId id: string) {
    return new ImportDto(await this.imports.revert(context, id));
  }
}
