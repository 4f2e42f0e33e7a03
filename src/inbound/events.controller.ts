import { Body, Controller, Get, Headers, Post, Query } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import { EventResultsDto, EventsPageDto, ListEventsDto } from './event.dto.js';
import { EventsService } from './events.service.js';
import { operations } from './operations.js';

@Controller('events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Post()
  @operations.createEvents
  async create(
    @Body() body: unknown,
    @Context() context: RequestContext,
    @Headers('Idempotency-Key') idempotencyKey?: string,
  ) {
    return new EventResultsDto(await this.events.create(context, body, idempotencyKey));
  }

  @Get()
  @operations.listEvents
  async list(@CurrentCaller() { accountId }: Caller, @Query() query: ListEventsDto) {
    return new EventsPageDto(await this.events.list(accountId, query));
  }
}
