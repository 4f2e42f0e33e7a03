import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { COMMON_ERRORS, RouteNotFoundError, ValidationError } from '../http/errors.js';
import { Deadline } from '../http/deadline.js';
import { RateLimitExceededError } from '../rate-limit/errors.js';
import { actorOf } from '../ledger/actor.js';
import { AddDto, BatchAddDto, BatchAddedDto } from './dto/add.dto.js';
import { CheckDto, CheckedDto } from './dto/check.dto.js';
import { HistoryDto, HistoryPageDto } from './dto/history.dto.js';
import { ListDto, ListPageDto } from './dto/list.dto.js';
import { BatchRemoveDto, BatchRemovedDto, RemoveDto, RemovedDto } from './dto/remove.dto.js';
import { SuppressionDto, SuppressionIdDto } from './dto/suppression.dto.js';
import { HistoryNotFoundError, SuppressionNotFoundError } from './errors.js';
import * as examples from './examples.js';
import { InvalidSuppressionRef, SuppressionRefPipe, type SuppressionRef } from './suppression-ref.js';
import { SuppressionsService } from './suppressions.service.js';

@ApiErrors(...COMMON_ERRORS, RateLimitExceededError)
@Controller('suppressions')
export class SuppressionsController {
  constructor(private readonly suppressions: SuppressionsService) {}

  @Post()
  @RequireScope('suppressions:write')
  @ApiTags('Suppressions')
  @ApiOperation({
    operationId: 'addSuppression',
    summary: 'Add one address',
    description: 'Puts the address on the list by hand. One that is there already keeps its id.',
  })
  @ApiBody({ type: AddDto, examples: examples.ADD_BODY })
  @ApiResponse({
    status: HttpStatus.CREATED,
    description: 'It is suppressed now.',
    type: SuppressionIdDto,
    example: examples.SUPPRESSION_ID,
  })
  @ApiResponse({
    status: HttpStatus.OK,
    description: 'It was suppressed already: the id it has.',
    type: SuppressionIdDto,
    example: examples.SUPPRESSION_ID,
  })
  @ApiErrors(ValidationError.like('email', 'must contain an @'))
  async add(
    @CurrentCaller() caller: Caller,
    @Deadline() deadline: number,
    @Body() { email, note = null }: AddDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuppressionIdDto> {
    const { id, action } = await this.suppressions.add(
      caller.accountId,
      actorOf(caller),
      email,
      note,
      deadline,
    );
    response.status(action === 'added' ? HttpStatus.CREATED : HttpStatus.OK);
    return new SuppressionIdDto(id);
  }

  @Get()
  @RequireScope('suppressions:read')
  @ApiTags('Suppressions')
  @ApiOperation({
    operationId: 'listSuppressions',
    summary: 'List the suppressions',
    description:
      'Newest first. Read on with the last id of a page in `after`: every record that stays is shown exactly once, ' +
      'whatever others add and remove meanwhile.',
  })
  @ApiResponse({
    status: HttpStatus.OK,
    description: 'A page of the list.',
    type: ListPageDto,
    example: examples.LIST_PAGE,
  })
  @ApiErrors(ValidationError.like('limit', 'must be a whole number from 1 to 100'))
  list(
    @CurrentCaller() caller: Caller,
    @Query() filter: ListDto,
    @Req() { path }: Request,
  ): Promise<ListPageDto> {
    if (path.endsWith('/')) {
      // It is what clients make of an empty address, which has no record.
      throw new RouteNotFoundError();
    }
    return this.suppressions.list(caller.accountId, filter);
  }

  @Get(':suppression')
  @RequireScope('suppressions:read')
  @ApiTags('Suppressions')
  @ApiOperation({
    operationId: 'getSuppression',
    summary: 'Get one suppression',
    description: 'By its id or by its address, percent-encoded.',
  })
  @ApiParam(examples.REF_PARAM)
  @ApiResponse({
    status: HttpStatus.OK,
    description: 'The address is suppressed.',
    type: SuppressionDto,
    example: examples.SUPPRESSION,
  })
  @ApiErrors(InvalidSuppressionRef, SuppressionNotFoundError)
  get(
    @CurrentCaller() caller: Caller,
    @Param('suppression', SuppressionRefPipe) ref: SuppressionRef,
  ): Promise<SuppressionDto> {
    return this.suppressions.get(caller.accountId, ref);
  }

  @Delete(':suppression')
  @RequireScope('suppressions:write')
  @ApiTags('Suppressions')
  @ApiOperation({
    operationId: 'removeSuppression',
    summary: 'Remove one suppression',
    description: 'The address may be mailed again. Its history stays.',
  })
  @ApiParam(examples.REF_PARAM)
  @ApiBody({ type: RemoveDto, required: false, examples: examples.REMOVE_BODY })
  @ApiResponse({
    status: HttpStatus.OK,
    description: 'It is removed.',
    type: RemovedDto,
    example: examples.REMOVED,
  })
  @ApiErrors(InvalidSuppressionRef, SuppressionNotFoundError)
  remove(
    @CurrentCaller() caller: Caller,
    @Param('suppression', SuppressionRefPipe) ref: SuppressionRef,
    @Deadline() deadline: number,
    @Body() { note = null }: RemoveDto,
  ): Promise<RemovedDto> {
    return this.suppressions.remove(caller.accountId, actorOf(caller), ref, note, deadline);
  }

  @Get(':suppression/history')
  @RequireScope('suppressions:read')
  @ApiTags('Suppressions')
  @ApiOperation({
    operationId: 'getSuppressionHistory',
    summary: 'Read what happened to an address',
    description:
      'The ledger of the address, newest first, also after it was removed: by the address or an id it had.',
  })
  @ApiParam(examples.REF_PARAM)
  @ApiResponse({
    status: HttpStatus.OK,
    description: 'A page of the history.',
    type: HistoryPageDto,
    example: examples.HISTORY_PAGE,
  })
  @ApiErrors(InvalidSuppressionRef, HistoryNotFoundError)
  history(
    @CurrentCaller() caller: Caller,
    @Param('suppression', SuppressionRefPipe) ref: SuppressionRef,
    @Query() page: HistoryDto,
  ): Promise<HistoryPageDto> {
    return this.suppressions.history(caller.accountId, ref, page);
  }

  @Post('batch/add')
  @RequireScope('suppressions:write')
  @ApiTags('Batches')
  @ApiOperation({
    operationId: 'batchAddSuppressions',
    summary: 'Add up to 100 addresses',
    description:
      'One bad address refuses the request. An address that stands twice, or is suppressed already, gets the one id ' +
      'it has.',
  })
  @ApiBody({ type: BatchAddDto, examples: examples.BATCH_ADD_BODY })
  @ApiResponse({
    status: HttpStatus.CREATED,
    description: 'All of them are suppressed.',
    type: BatchAddedDto,
    example: examples.BATCH_ADDED,
  })
  batchAdd(
    @CurrentCaller() caller: Caller,
    @Deadline() deadline: number,
    @Body() { emails, note = null }: BatchAddDto,
  ): Promise<BatchAddedDto> {
    return this.suppressions.batchAdd(caller.accountId, actorOf(caller), emails, note, deadline);
  }

  @Post('check')
  @HttpCode(HttpStatus.OK)
  @RequireScope('suppressions:read')
  @ApiTags('Batches')
  @ApiOperation({
    operationId: 'checkEmails',
    summary: 'Ask whether up to 1000 addresses may be mailed',
    description: 'One bad address does not spoil the answer for the others.',
  })
  @ApiBody({ type: CheckDto, examples: examples.CHECK_BODY })
  @ApiResponse({
    status: HttpStatus.OK,
    description: 'A verdict for each address.',
    type: CheckedDto,
    example: examples.CHECKED,
  })
  @ApiErrors(ValidationError.like('emails', 'must have at most 1000 email addresses'))
  check(@CurrentCaller() caller: Caller, @Body() { emails }: CheckDto): Promise<CheckedDto> {
    return this.suppressions.check(caller.accountId, emails);
  }

  @Post('batch/remove')
  @HttpCode(HttpStatus.OK)
  @RequireScope('suppressions:write')
  @ApiTags('Batches')
  @ApiOperation({
    operationId: 'batchRemoveSuppressions',
    summary: 'Remove up to 100 suppressions',
    description: 'By `emails` or by `ids`. An unknown id comes back with `deleted: false`.',
  })
  @ApiBody({ type: BatchRemoveDto, examples: examples.BATCH_REMOVE_BODY })
  @ApiResponse({
    status: HttpStatus.OK,
    description: 'What was removed.',
    type: BatchRemovedDto,
    example: examples.BATCH_REMOVED,
  })
  @ApiErrors(ValidationError.like('ids', 'must be left out where emails is given'))
  batchRemove(
    @CurrentCaller() caller: Caller,
    @Deadline() deadline: number,
    @Body() which: BatchRemoveDto,
  ): Promise<BatchRemovedDto> {
    return this.suppressions.batchRemove(caller.accountId, actorOf(caller), which, deadline);
  }
}
