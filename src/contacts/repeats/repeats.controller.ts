import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { Context, type RequestContext } from '../../audit/request-context.js';
import { operations } from './operations.js';
import { RepeatedErasuresDto, RepeatErasuresDto } from './repeats.dto.js';
import { RepeatsService } from './repeats.service.js';

@Controller('erasures/repeat')
export class RepeatsController {
  constructor(private readonly repeats: RepeatsService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @operations.repeatErasures
  async repeat(
    @Context() context: RequestContext,
    @Body() { receipts, after }: RepeatErasuresDto,
  ): Promise<RepeatedErasuresDto> {
    return new RepeatedErasuresDto(await this.repeats.repeat(context, receipts, after ?? null));
  }
}
