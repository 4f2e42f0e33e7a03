import { Body, Controller, Delete, Get, HttpStatus, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { allows } from '../api-keys/scopes.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import { AdditionsService } from './additions/additions.service.js';
import { requestedPurpose } from './checks/check-request.js';
import { CheckService } from './checks/check.service.js';
import { AddDto, BatchAddDto, BatchAddedDto } from './dto/add.dto.js';
import { CheckDto, ExplainDto } from './dto/check.dto.js';
import { CheckedDto } from './dto/checked.dto.js';
import { HistoryDto, HistoryPageDto } from './dto/history.dto.js';
import { ListDto, ListPageDto } from './dto/list.dto.js';
import { BatchRemovedDto, BatchRemoveDto, CauseDto, RemovedDto, RemoveDto } from './dto/remove.dto.js';
import {
  IncludeDto,
  SuppressionDto,
  SuppressionIdDto,
  SuppressionWithCausesDto,
} from './dto/suppression.dto.js';
import { batchOperations, checkOperations, operations, RefParam } from './operations.js';
import { RemovalsService } from './removals.service.js';
import { EmptyRefGuard, type SuppressionRef } from './suppression-ref.js';
import { SuppressionsService } from './suppressions.service.js';

/** The order is that of the page at /docs. */
@Controller('suppressions')
export class SuppressionsController {
  constructor(
    private readonly suppressions: SuppressionsService,
    private readonly additions: AdditionsService,
    private readonly checks: CheckService,
    private readonly removals: RemovalsService,
  ) {}

  @Post()
  @operations.addSuppression
  async add(
    @Context() context: RequestContext,
    @Body() body: AddDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { id, action } = await this.additions.add(context, body.email, body.toEntry());
    response.status(action === 'added' ? HttpStatus.CREATED : HttpStatus.OK);
    return new SuppressionIdDto({ id });
  }

  @Get()
  @UseGuards(EmptyRefGuard)
  @operations.listSuppressions
  async list(@CurrentCaller() { accountId }: Caller, @Query() query: ListDto) {
    return new ListPageDto(await this.suppressions.list(accountId, query.limit, query.toFilter()));
  }

  @Get(':suppression')
  @operations.getSuppression
  async get(
    @CurrentCaller() { accountId }: Caller,
    @RefParam ref: SuppressionRef,
    @Query() { include }: IncludeDto,
  ) {
    return include === 'causes'
      ? new SuppressionWithCausesDto(await this.suppressions.getWithCauses(accountId, ref))
      : new SuppressionDto(await this.suppressions.get(accountId, ref));
  }

  @Delete(':suppression')
  @operations.removeSuppression
  async remove(
    @CurrentCaller() caller: Caller,
    @RefParam ref: SuppressionRef,
    @Query() { cause }: CauseDto,
    @Context() context: RequestContext,
    @Body() body: RemoveDto,
  ) {
    const removal = body.toRemoval(cause, allows(caller.scopes, 'suppressions:lift'));
    return new RemovedDto(await this.removals.remove(context, ref, removal));
  }

  @Get(':suppression/history')
  @operations.getSuppressionHistory
  async history(
    @CurrentCaller() { accountId }: Caller,
    @RefParam ref: SuppressionRef,
    @Query() { limit, after }: HistoryDto,
  ) {
    return new HistoryPageDto(await this.suppressions.history(accountId, ref, limit, after));
  }

  @Post('batch/add')
  @batchOperations.batchAddSuppressions
  async batchAdd(@Context() context: RequestContext, @Body() body: BatchAddDto) {
    return new BatchAddedDto(await this.additions.batchAdd(context, body.emails, body.toEntry()));
  }

  @Post('check')
  @checkOperations.checkEmails
  async check(
    @CurrentCaller() caller: Caller,
    @Query() { explain }: ExplainDto,
    @Context() context: RequestContext,
    @Body() body: CheckDto,
  ) {
    const purpose = requestedPurpose(caller, body);
    const links = body.toRequestedLinks();
    const checked = links
      ? await this.checks.checkWithLinks(context, body.emails, purpose, links)
      : await this.checks.check(caller.accountId, body.emails, purpose, body.as_of);
    return new CheckedDto(checked, explain);
  }

  @Post('batch/remove')
  @batchOperations.batchRemoveSuppressions
  async batchRemove(
    @CurrentCaller() caller: Caller,
    @Context() context: RequestContext,
    @Body() body: BatchRemoveDto,
  ) {
    const removal = body.toRemoval(body.cause, allows(caller.scopes, 'suppressions:lift'));
    return new BatchRemovedDto(await this.removals.batchRemove(context, body.toRefs(), removal, context));
  }
}
