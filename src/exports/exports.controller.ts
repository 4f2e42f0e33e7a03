import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { Context, type RequestContext } from '../audit/request-context.js';
import type { TracedResponse } from '../http/responses/response.js';
import { sendStream } from '../http/responses/send-stream.js';
import { writeCursor } from '../ledger/feed-position.js';
import { ExportDto } from './export.dto.js';
import { ExportsService } from './exports.service.js';
import { operations } from './operations.js';

@Controller('exports')
export class ExportsController {
  constructor(private readonly exports: ExportsService) {}

  @Get()
  @operations.exportSuppressions
  async export(
    @Context() context: RequestContext,
    @Query() query: ExportDto,
    @Req() request: Request,
    @Res() response: TracedResponse,
  ): Promise<void> {
    const { accountId, actor } = context;
    const content = query.toContent();
    const parameters = query.toParameters();
    const { head, leftOut, pieces } = await this.exports.start({ accountId, actor, parameters }, content);
    await sendStream(request, response, pieces, {
      contentType: content.writer.contentType,
      headers: { 'Changes-Cursor': writeCursor({ accountId, ...head }), 'Erased-Count': String(leftOut) },
      filename: `${content.topic ? 'preferences' : 'suppressions'}.${content.writer.extension}`,
    });
  }
}
