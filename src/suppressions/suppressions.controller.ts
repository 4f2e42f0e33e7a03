import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccessTo } from '../api-keys/access.js';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { API_KEY_ERRORS } from '../api-keys/errors.js';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { BODY_ERRORS, COMMON_ERRORS } from '../http/errors.js';
import { RateLimitExceededError } from '../rate-limit/errors.js';
import { actorOf } from './actor.js';
import { AddDto, BatchAddDto, BatchAddedDto } from './dto/add.dto.js';
import { CheckDto, CheckedDto } from './dto/check.dto.js';
import { HistoryDto, HistoryPageDto } from './dto/history.dto.js';
import { ListDto, ListPageDto } from './dto/list.dto.js';
import { BatchRemoveDto, BatchRemovedDto, RemoveDto, RemovedDto } from './dto/remove.dto.js';
import { SuppressionDto, SuppressionIdDto } from './dto/suppression.dto.js';
import { HistoryNotFoundError, SuppressionNotFoundError } from './errors.js';
import { SuppressionRefPipe, type SuppressionRef } from './suppression-ref.js';
import { SuppressionsService } from './suppressions.service.js';

const REF_PARAM = {
  name: 'suppression',
  type: String,
  description: 'An id or an address.',
  example: 'ada@example.com',
};

@ApiTags('Suppressions')
@ApiBearerAuth()
@ApiErrors(...COMMON_ERRORS, ...API_KEY_ERRORS, RateLimitExceededError)
@Controller('suppressions')
export class SuppressionsController {
  constructor(private readonly suppressions: SuppressionsService) {}

  @Post()
  @AccessTo({ scope: 'suppressions:write' })
  @ApiOperation({
    operationId: 'addSuppression',
    summary: 'Add one address',
    description: 'Puts the address on the list by hand. One that is there already keeps its id.',
  })
  @ApiResponse({ status: HttpStatus.CREATED, description: 'It is suppressed now.', type: SuppressionIdDto })
  @ApiResponse({ status: HttpStatus.OK, description: 'It was suppressed already.', type: SuppressionIdDto })
  @ApiErrors(...BODY_ERRORS)
  async add(
    @CurrentCaller() caller: Caller,
    @Body() { email, note = null }: AddDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuppressionIdDto> {
    const { id, added } = await this.suppressions.add(caller.accountId, email, {
      actor: actorOf(caller),
      note,
    });
    response.status(added ? HttpStatus.CREATED : HttpStatus.OK);
    return new SuppressionIdDto(id);
  }

  @Get()
  @AccessTo({ scope: 'suppressions:read' })
  @ApiOperation({
    operationId: 'listSuppressions',
    summary: 'List the suppressions',
    description:
      'Newest first. Read on with the last id of a page in `after`: every record that stays is shown exactly once, ' +
      'whatever others add and remove meanwhile.',
  })
  @ApiResponse({ status: HttpStatus.OK, description: 'A page of the list.', type: ListPageDto })
  list(@CurrentCaller() caller: Caller, @Query() filter: ListDto): Promise<ListPageDto> {
    return this.suppressions.list(caller.accountId, filter);
  }

  @Post('check')
  @HttpCode(HttpStatus.OK)
  @AccessTo({ scope: 'suppressions:read' })
  @ApiOperation({
    operationId: 'checkEmails',
    summary: 'Ask whether up to 1000 addresses may be mailed',
    description: 'One bad address does not spoil the answer for the others.',
  })
  @ApiResponse({ status: HttpStatus.OK, description: 'A verdict for each address.', type: CheckedDto })
  @ApiErrors(...BODY_ERRORS)
  check(@CurrentCaller() caller: Caller, @Body() { emails }: CheckDto): Promise<CheckedDto> {
    return this.suppressions.check(caller.accountId, emails);
  }

  @Post('batch/add')
  @AccessTo({ scope: 'suppressions:write' })
  @ApiOperation({
    operationId: 'batchAddSuppressions',
    summary: 'Add up to 100 addresses',
    description:
      'One bad address refuses the request. An address that stands twice, or is suppressed already, gets the one id ' +
      'it has.',
  })
  @ApiResponse({
    status: HttpStatus.CREATED,
    description: 'All of them are suppressed.',
    type: BatchAddedDto,
  })
  @ApiErrors(...BODY_ERRORS)
  batchAdd(
    @CurrentCaller() caller: Caller,
    @Body() { emails, note = null }: BatchAddDto,
  ): Promise<BatchAddedDto> {
    return this.suppressions.batchAdd(caller.accountId, emails, { actor: actorOf(caller), note });
  }

  @Post('batch/remove')
  @HttpCode(HttpStatus.OK)
  @AccessTo({ scope: 'suppressions:write' })
  @ApiOperation({
    operationId: 'batchRemoveSuppressions',
    summary: 'Remove up to 100 suppressions',
    description: 'By `emails` or by `ids`. An unknown id comes back with `deleted: false`.',
  })
  @ApiResponse({ status: HttpStatus.OK, description: 'What was removed.', type: BatchRemovedDto })
  @ApiErrors(...BODY_ERRORS)
  batchRemove(@CurrentCaller() caller: Caller, @Body() which: BatchRemoveDto): Promise<BatchRemovedDto> {
    return this.suppressions.batchRemove(caller.accountId, which, {
      actor: actorOf(caller),
      note: which.note ?? null,
    });
  }

  @Get(':suppression')
  @AccessTo({ scope: 'suppressions:read' })
  @ApiOperation({
    operationId: 'getSuppression',
    summary: 'Get one suppression',
    description: 'By its id or by its address, percent-encoded.',
  })
  @ApiParam(REF_PARAM)
  @ApiResponse({ status: HttpStatus.OK, description: 'The address is suppressed.', type: SuppressionDto })
  @ApiErrors(SuppressionNotFoundError)
  get(
    @CurrentCaller() caller: Caller,
    @Param('suppression', SuppressionRefPipe) ref: SuppressionRef,
  ): Promise<SuppressionDto> {
    return this.suppressions.get(caller.accountId, ref);
  }

  @Delete(':suppression')
  @AccessTo({ scope: 'suppressions:write' })
  @ApiOperation({
    operationId: 'removeSuppression',
    summary: 'Remove one suppression',
    description: 'The address may be mailed again. Its history stays.',
  })
  @ApiParam(REF_PARAM)
  @ApiBody({ type: RemoveDto, required: false })
  @ApiResponse({ status: HttpStatus.OK, description: 'It is removed.', type: RemovedDto })
  @ApiErrors(SuppressionNotFoundError, ...BODY_ERRORS)
  remove(
    @CurrentCaller() caller: Caller,
    @Param('suppression', SuppressionRefPipe) ref: SuppressionRef,
    @Body() { note = null }: RemoveDto,
  ): Promise<RemovedDto> {
    return this.suppressions.remove(caller.accountId, ref, { actor: actorOf(caller), note });
  }

  @Get(':suppression/history')
  @AccessTo({ scope: 'suppressions:read' })
  @ApiOperation({
    operationId: 'getSuppressionHistory',
    summary: 'Read what happened to an address',
    description:
      'The ledger of the address, newest first, also after it was removed: by the address or an id it had.',
  })
  @ApiParam(REF_PARAM)
  @ApiResponse({ status: HttpStatus.OK, description: 'A page of the history.', type: HistoryPageDto })
  @ApiErrors(HistoryNotFoundError)
  history(
    @CurrentCaller() caller: Caller,
    @Param('suppression', SuppressionRefPipe) ref: SuppressionRef,
    @Query() page: HistoryDto,
  ): Promise<HistoryPageDto> {
    return this.suppressions.history(caller.accountId, ref, page);
  }
}
