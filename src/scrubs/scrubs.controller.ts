import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { v7 as uuidV7 } from 'uuid';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import { ReceivedFile, type FileBody } from '../http/body/unread-body.js';
import type { TracedResponse } from '../http/responses/response.js';
import { sendStream, watchUnread } from '../http/responses/send-stream.js';
import { CreateScrubDto, ScrubDto } from './scrub.dto.js';
import { operations, ScrubId } from './operations.js';
import { ScrubsService } from './scrubs.service.js';

@Controller('scrubs')
export class ScrubsController {
  constructor(private readonly scrubs: ScrubsService) {}

  @Post()
  @operations.createScrub
  async create(
    @CurrentCaller() caller: Caller,
    @Context() context: RequestContext,
    @Query() query: CreateScrubDto,
    @ReceivedFile(false) { file, type }: FileBody,
    @Req() request: Request,
    @Res() response: TracedResponse,
  ): Promise<void> {
    const id = uuidV7();
    const upload = { id, file, unread: watchUnread(request, response) };
    await sendStream(request, response, this.scrubs.scrub(context, upload, query.toOptions(caller)), {
      contentType: type,
      headers: { 'Scrub-Id': id },
    });
  }

  @Get(':scrub')
  @operations.getScrub
  async get(@CurrentCaller() { accountId }: Caller, @ScrubId id: string) {
    return new ScrubDto(await this.scrubs.get(accountId, id));
  }
}
