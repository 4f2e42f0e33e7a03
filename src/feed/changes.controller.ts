import { Controller, Get, Query } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { DisconnectSignal } from './disconnect-signal.decorator.js';
import { ChangesPageDto, ReadChangesDto } from './dto/changes.dto.js';
import { FeedService } from './feed.service.js';
import { operations } from './operations.js';

@Controller('changes')
export class ChangesController {
  constructor(private readonly feed: FeedService) {}

  @Get()
  @operations.readChanges
  async read(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: ReadChangesDto,
    @DisconnectSignal() disconnected: AbortSignal,
  ): Promise<ChangesPageDto> {
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
