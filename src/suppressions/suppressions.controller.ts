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
import { actorOf, CurrentCaller, type Caller } from '../api-keys/caller.js';
import { allows } from '../api-keys/scopes.js';
import { Deadline } from '../http/deadline.js';
import { CheckService } from './check.service.js';
import { AddDto, BatchAddDto, BatchAddedDto } from './dto/add.dto.js';
import { CheckDto, CheckedDto, ExplainDto } from './dto/check.dto.js';
import { HistoryDto, HistoryPageDto } from './dto/history.dto.js';
import { ListDto, ListPageDto } from './dto/list.dto.js';
import { BatchRemoveDto, BatchRemovedDto, CauseDto, RemoveDto, RemovedDto } from './dto/remove.dto.js';
import { IncludeDto, SuppressionWithCausesDto } from './dto/causes.dto.js';
import { SuppressionDto, SuppressionIdDto } from './dto/suppression.dto.js';
import * as operations from './operations.js';
import { requestedPurpose } from './requested-purpose.js';
import { EmptyRefGuard, SuppressionRefPipe, type SuppressionRef } from './suppression-ref.js';
import { SuppressionsService, type Suppressed } from './suppressions.service.js';

/** The order is that of the page at /docs. */
@Controller('suppressions')
export class SuppressionsController {
  constructor(
    private readonly suppressions: SuppressionsService,
    private readonly checks: CheckService,
  ) {}

  @Post()
  @operations.AddSuppression()
  async add(
    @CurrentCaller() caller: Caller,
    @Deadline() deadline: number,
    @Body() body: AddDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuppressionIdDto> {
    return respondWithAdded(
      response,
      await this.suppressions.add(caller.accountId, actorOf(caller), body.email, body.toEntry(), deadline),
    );
  }

  @Get()
  @UseGuards(EmptyRefGuard)
  @operations.ListSuppressions()
  async list(@CurrentCaller() { accountId }: Caller, @Query() query: ListDto): Promise<ListPageDto> {
    return new ListPageDto(await this.suppressions.list(accountId, query.limit, query.toFilter()));
  }

  @Get(':suppression')
  @operations.GetSuppression()
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
  @operations.RemoveSuppression()
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('suppression', SuppressionRefPipe) ref: SuppressionRef,
    @Query() { cause }: CauseDto,
    @Deadline() deadline: number,
    @Body() body: RemoveDto,
  ): Promise<RemovedDto> {
    return new RemovedDto(
      await this.suppressions.remove(
        caller.accountId,
        actorOf(caller),
        ref,
        body.toRemoval(cause, allows(caller.scopes, 'suppressions:lift')),
        deadline,
      ),
    );
  }

  @Get(':suppression/history')
  @operations.GetSuppressionHistory()
  async history(
    @CurrentCaller() { accountId }: Caller,
    @Param('suppression', SuppressionRefPipe) ref: SuppressionRef,
    @Query() { limit, after }: HistoryDto,
  ): Promise<HistoryPageDto> {
    return new HistoryPageDto(await this.suppressions.history(accountId, ref, limit, after));
  }

  @Post('batch/add')
  @operations.BatchAddSuppressions()
  async batchAdd(
    @CurrentCaller() caller: Caller,
    @Deadline() deadline: number,
    @Body() body: BatchAddDto,
  ): Promise<BatchAddedDto> {
    return new BatchAddedDto(
      await this.suppressions.batchAdd(
        caller.accountId,
        actorOf(caller),
        body.emails,
        body.toEntry(),
        deadline,
      ),
    );
  }

  @Post('check')
  @operations.CheckEmails()
  async check(
    @CurrentCaller() caller: Caller,
    @Query() { explain }: ExplainDto,
    @Deadline() deadline: number,
    @Body() body: CheckDto,
  ): Promise<CheckedDto> {
    const purpose = requestedPurpose(caller, body);
    const links = body.toRequestedLinks();
    const checked = links
      ? await this.checks.checkWithLinks(caller.accountId, body.emails, purpose, links, deadline)
      : await this.checks.check(caller.accountId, body.emails, purpose, body.as_of);
    return new CheckedDto(checked, explain);
  }

  @Post('batch/remove')
  @operations.BatchRemoveSuppressions()
  async batchRemove(
    @CurrentCaller() caller: Caller,
    @Deadline() deadline: number,
    @Body() body: BatchRemoveDto,
  ): Promise<BatchRemovedDto> {
    return new BatchRemovedDto(
      await this.suppressions.batchRemove(
        caller.accountId,
        actorOf(caller),
        body.toRefs(),
        body.toRemoval(body.cause, allows(caller.scopes, 'suppressions:lift')),
        { deadline },
      ),
    );
  }
}

function respondWithAdded(response: Response, { id, action }: Suppressed): SuppressionIdDto {
  response.status(action === 'added' ? HttpStatus.CREATED : HttpStatus.OK);
  return new SuppressionIdDto(id);
}
