import { Controller, createParamDecorator, Get, Query, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { ChangesPageDto, ReadChangesDto } from './changes.dto.js';
import { FeedService } from './feed.service.js';
import { operations } from './operations.js';

/** A signal that is aborted when the connection of the request closes. */
const DisconnectSignal = createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal => {
  const disconnected = new AbortController();
  context
    .switchToHttp()
    .getResponse<Response>()
    .once('close', () => disconnected.abort());
  return disconnected.signal;
});

@Controller('changes')
export class ChangesController {
  constructor(private readonly feed: FeedService) {}

  @Get()
  @operations.readChanges
  async read(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: ReadChangesDto,
    @DisconnectSignal() disconnected: AbortSignal,
  ) {
    return new ChangesPageDto(
      accountId,
      query.from === 'now'
        ? { changes: [], position: await this.feed.head(accountId), hasMore: false }
        : await this.feed.readOrWait(accountId, query.toPosition(accountId), query.limit, {
            milliseconds: query.wait * 1_000,
            disconnected,
          }),
    );
  }
}
