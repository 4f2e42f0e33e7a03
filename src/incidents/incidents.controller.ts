import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import { DecideIncidentDto, IncidentDto, IncidentsPageDto, ListIncidentsDto } from './incident.dto.js';
import { IncidentsService } from './incidents.service.js';
import { IncidentId, operations } from './operations.js';

@Controller('incidents')
export class IncidentsController {
  constructor(private readonly incidents: IncidentsService) {}

  @Get()
  @operations.listIncidents
  async list(@CurrentCaller() { accountId }: Caller, @Query() query: ListIncidentsDto) {
    return new IncidentsPageDto(await this.incidents.list(accountId, query));
  }

  @Get(':incident')
  @operations.getIncident
  async get(@CurrentCaller() { accountId }: Caller, @IncidentId id: string) {
    return new IncidentDto(await this.incidents.get(accountId, id));
  }

  @Post(':incident/decide')
  @operations.decideIncident
  async decide(
    @Context() context: RequestContext,
    @IncidentId id: string,
    @Body() { decision }: DecideIncidentDto,
  ) {
    return new IncidentDto(await this.incidents.decide(context, id, decision));
  }
}
