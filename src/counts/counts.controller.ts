import { Controller, Get, Query } from '@nestjs/common';
import { Context, type RequestContext } from '../audit/request-context.js';
import { CountsService } from './counts.service.js';
import { CountDto, CountQueryDto, SummaryDto } from './counts.dto.js';
import { operations } from './operations.js';

@Controller('suppressions')
export class CountsController {
  constructor(private readonly counts: CountsService) {}

  @Get('count')
  @operations.countSuppressions
  async count(@Query() query: CountQueryDto, @Context() context: RequestContext): Promise<CountDto> {
    const { group_by } = query;
    return new CountDto(await this.counts.count(context, query.toFilter(), group_by), group_by !== undefined);
  }

  @Get('summary')
  @operations.summarizeSuppressions
  async summarize(@Context() context: RequestContext): Promise<SummaryDto> {
    return new SummaryDto(await this.counts.summarize(context, new Date()));
  }
}
