import { Controller, Get, Query } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Deadline } from '../http/requests/deadline.js';
import { CountsService } from './counts.service.js';
import { CountDto, CountQueryDto } from './dto/count.dto.js';
import { SummaryDto } from './dto/summary.dto.js';
import * as operations from './operations.js';

@Controller('suppressions')
export class CountsController {
  constructor(private readonly counts: CountsService) {}

  @Get('count')
  @operations.CountSuppressions()
  async count(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: CountQueryDto,
    @Deadline() deadline: number,
  ): Promise<CountDto> {
    const { group_by } = query;
    return new CountDto(
      await this.counts.count(accountId, query.toFilter(), group_by, deadline),
      group_by !== undefined,
    );
  }

  @Get('summary')
  @operations.SummarizeSuppressions()
  async summarize(@CurrentCaller() { accountId }: Caller, @Deadline() deadline: number): Promise<SummaryDto> {
    return new SummaryDto(await this.counts.summarize(accountId, new Date(), deadline));
  }
}
