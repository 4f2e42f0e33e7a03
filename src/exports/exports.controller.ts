import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { actorOfCaller, CurrentCaller, type Caller } from '../api-keys/caller.js';
import type { TracedResponse } from '../http/responses/response.js';
import { sendStream } from '../http/responses/send-stream.js';
import { writeCursor } from '../ledger/feed-position.js';
import { FeedService } from '../feed/feed.service.js';
import { TopicsService } from '../topics/topics.service.js';
import { ExportDto } from './export.dto.js';
import { ExportsService } from './exports.service.js';
import { operations } from './operations.js';

@Controller('exports')
export class ExportsController {
  constructor(
    private readonly exports: ExportsService,
    private readonly topics: TopicsService,
    private readonly feed: FeedService,
  ) {}

  @Get()
  @operations.exportSuppressions
  async export(
    @CurrentCaller() caller: Caller,
    @Query() query: ExportDto,
    @Req() request: Request,
    @Res() response: TracedResponse,
  ): Promise<void> {
    const { accountId } = caller;
    const writer = query.topic ? query.toPreferenceWriter() : query.toWriter();
    const topic = query.topic && (await this.topics.get(accountId, query.topic));
    const head = await this.feed.head(accountId);
    const erased = topic ? 0 : await this.exports.countLeftOut(accountId, query.toFilter(), query.toWriter());
    const asked = { accountId, actor: actorOfCaller(caller), parameters: query.toParameters(), head };
    const pieces = topic
      ? this.exports.writePreferences(asked, topic, query.toPreferenceWriter())
      : this.exports.write(asked, query.toFilter(), query.toWriter());
    await sendStream(request, response, pieces, {
      contentType: writer.contentType,
      headers: { 'Changes-Cursor': writeCursor({ accountId, ...head }), 'Erased-Count': String(erased) },
      filename: `${topic ? 'preferences' : 'suppressions'}.${writer.extension}`,
    });
  }
}
