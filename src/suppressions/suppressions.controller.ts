import { Body, Controller, Get, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AccessTo } from '../api-keys/access.js';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import {
  BetaAccessRequiredError,
  InvalidApiKeyError,
  MissingApiKeyError,
  RestrictedApiKeyError,
} from '../api-keys/errors.js';
import { ApiErrors } from '../http/api-errors.decorator.js';
import {
  InternalServerError,
  PayloadTooLargeError,
  ServiceUnavailableError,
  UnsupportedMediaTypeError,
  ValidationError,
} from '../http/errors.js';
import { BatchAddDto, BatchAddedDto } from './dto/batch-add.dto.js';
import { SuppressionDto } from './dto/suppression.dto.js';
import { SuppressionNotFoundError } from './errors.js';
import { SuppressionRefPipe, type SuppressionRef } from './suppression-ref.js';
import { SuppressionsService } from './suppressions.service.js';

@ApiTags('Suppressions')
@ApiBearerAuth()
@ApiErrors(
  ValidationError,
  MissingApiKeyError,
  RestrictedApiKeyError,
  InvalidApiKeyError,
  BetaAccessRequiredError,
  InternalServerError,
  ServiceUnavailableError,
)
@Controller('suppressions')
export class SuppressionsController {
  constructor(private readonly suppressions: SuppressionsService) {}

  @Post('batch/add')
  @AccessTo({ scope: 'suppressions:write' })
  @ApiOperation({
    operationId: 'batchAddSuppressions',
    summary: 'Add up to 100 addresses',
    description:
      'All or nothing: one bad address refuses the request. An address that stands twice, or is suppressed already, ' +
      'gets the one id it has, and its record is not changed.',
  })
  @ApiResponse({
    status: HttpStatus.CREATED,
    description: 'All of them are suppressed.',
    type: BatchAddedDto,
  })
  @ApiErrors(PayloadTooLargeError, UnsupportedMediaTypeError)
  batchAdd(@CurrentCaller() caller: Caller, @Body() { emails }: BatchAddDto): Promise<BatchAddedDto> {
    return this.suppressions.batchAdd(caller.accountId, emails);
  }

  @Get(':suppression')
  @AccessTo({ scope: 'suppressions:read' })
  @ApiOperation({
    operationId: 'getSuppression',
    summary: 'Get one suppression',
    description: 'By its id or by its address, percent-encoded.',
  })
  @ApiParam({
    name: 'suppression',
    type: String,
    description: 'An id or an address.',
    example: 'ada@example.com',
  })
  @ApiResponse({ status: HttpStatus.OK, description: 'The address is suppressed.', type: SuppressionDto })
  @ApiErrors(SuppressionNotFoundError)
  get(
    @CurrentCaller() caller: Caller,
    @Param('suppression', SuppressionRefPipe) ref: SuppressionRef,
  ): Promise<SuppressionDto> {
    return this.suppressions.get(caller.accountId, ref);
  }
}
