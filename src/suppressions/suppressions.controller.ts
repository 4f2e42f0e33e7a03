import {
  Body,
  Controller,
  Delete,
  Get,
  HttpStatus,
  Param,
  Post,
  Query,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { Response } from 'express';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { allows } from '../api-keys/scopes.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import { AdditionsService, type SuppressResult } from './additions/additions.service.js';
import { AddDto } from './dto/add.dto.js';
import { HistoryDto, HistoryPageDto } from './dto/history.dto.js';
import { ListDto, ListPageDto } from './dto/list.dto.js';
import { CauseDto, RemovedDto, RemoveDto } from './dto/remove.dto.js';
import {
  IncludeDto,
  SuppressionDto,
  SuppressionIdDto,
  SuppressionWithCausesDto,
} from './dto/suppression.dto.js';
import { operations } from './operations.js';
import { RemovalsService } from './removals.service.js';
import { EmptyRefGuard, SuppressionRefPipe, type SuppressionRef } from './suppression-ref.js';
import { SuppressionsService } from './suppressions.service.js';

/** The order is that of the page at /docs. */
@Controller('suppressions')
export class SuppressionsController {
  constructor(
    private readonly suppressions: SuppressionsService,
    private readonly additions: AdditionsService,
    private readonly removals: RemovalsService,
  ) {}

  @Post()
  @operations.addSuppression
  async add(
    @Context() context: RequestContext,
    @Body() body: AddDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuppressionIdDto> {
    return respondWithAdded(response, await this.additions.add(context, body.email, body.toEntry()));
  }

  @Get()
  @UseGuards(EmptyRefGuard)
  @operations.listSuppressions
  async list(@CurrentCaller() { accountId }: Caller, @Query() query: ListDto): Promise<ListPageDto> {
    return new ListPageDto(await this.suppressions.list(accountId, query.limit, query.toFilter()));
  }

  @Get(':suppression')
  @operations.getSuppression
  async get(
    @CurrentCaller() { accountId }: Caller,
    @Param('suppression', SuppressionRefPipe) ref: SuppressionRef,
    @Query() { include }: IncludeDto,
  ): Promise<SuppressionDto> {
    return include === 'causes'
      ? new SuppressionWithCausesDto(await this.suppressions.getWithCauses(accountId, ref))
      : new SuppressionDto(await this.suppressions.get(accountId, ref));
  }

  @Delete(':suppression')
  @operations.removeSuppression
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('suppression', SuppressionRefPipe) ref: SuppressionRef,
    @Query() { cause }: CauseDto,
    @Context() context: RequestContext,
    @Body() body: RemoveDto,
  ): Promise<RemovedDto> {
    return new RemovedDto(
      await this.removals.remove(
        context,
        ref,
        body.toRemoval(cause, allows(caller.scopes, 'suppressions:lift')),
      ),
    );
  }

  @Get(':suppression/history')
  @operations.getSuppressionHistory
  async history(
    @CurrentCaller() { accountId }: Caller,
    @Param('suppression', SuppressionRefPipe) ref: SuppressionRef,
    @Query() { limit, after }: HistoryDto,
  ): Promise<HistoryPageDto> {
    return new HistoryPageDto(await this.suppressions.history(accountId, ref, limit, after));
  }
}

function respondWithAdded(response: Response, { id, action }: SuppressResult): SuppressionIdDto {
  response.status(action === 'added' ? HttpStatus.CREATED : HttpStatus.OK);
  return new SuppressionIdDto(id);
}
