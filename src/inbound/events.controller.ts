import { Body, Controller, Get, Headers, Post, Query } from '@nestjs/common';
import { actorOfCaller, CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Deadline } from '../http/requests/deadline.js';
import { EventResultsDto } from './dto/create-events.dto.js';
import { EventsPageDto, ListEventsDto } from './dto/list-events.dto.js';
import { EventsService } from './events.service.js';
import * as operations from './operations.js';

@Controller('events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Post()
  @operations.CreateEvents()
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: unknown,
    @Deadline() deadline: number,
    @Headers('Idempotency-Key') idempotencyKey?: string,
  ): Promise<EventResultsDto> {
    const { accountId } = caller;
    return new EventResultsDto(
      await this.events.create(accountId, actorOfCaller(caller), body, idempotencyKey, deadline),
    );
  }

  @Get()
  @operations.ListEvents()
  async list(@CurrentCaller() { accountId }: Caller, @Query() query: ListEventsDto): Promise<EventsPageDto> {
    return new EventsPageDto(await this.events.list(accountId, query));
  }
}
