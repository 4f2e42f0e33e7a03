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
    const { total, groups } = await this.counts.count(context, query.toFilter(), group_by);
    return { object: 'count', total, ...(group_by && { groups }) };
  }

  @Get('summary')
  @operations.summarizeSuppressions
  async summarize(@Context() context: RequestContext): Promise<SummaryDto> {
    return { object: 'summary', ...(await this.counts.summarize(context, new Date())) };
  }
}
