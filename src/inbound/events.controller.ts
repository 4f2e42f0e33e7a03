import { Body, Controller, Headers, HttpCode, HttpStatus, Post } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { COMMON_ERRORS, ValidationError } from '../http/errors.js';
import { Deadline } from '../http/deadline.js';
import { RateLimitExceededError } from '../rate-limit/errors.js';
import { EventDto, EventResultsDto } from './dto/events.dto.js';
import { IdempotencyConflictError, InvalidIdempotencyKeyError } from './errors.js';
import { SourcePausedError } from './sources/errors.js';
import { EventsService } from './events.service.js';
import { MAX_OWN_EVENTS } from './own-event.js';

const ONE = {
  type: 'bounce',
  email: 'gone@example.com',
  status: '5.1.1',
  diagnostic: '550 5.1.1 no such user',
};
const MANY = [ONE, { type: 'complaint', email: 'angry@example.com' }];
const TAKEN = {
  data: [{ object: 'event', outcome: 'added', suppression_id: '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11' }],
};

@ApiErrors(...COMMON_ERRORS, RateLimitExceededError)
@ApiExtraModels(EventDto)
@Controller('events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @RequireScope('events:write')
  @ApiTags('Events')
  @ApiOperation({
    operationId: 'createEvents',
    summary: 'Tell what happened to mail',
    description:
      'For a mailer of your own: what bounced, who complained, who unsubscribed. One event, or an array of up to 100. ' +
      'An event that names a mail or a moment, and one under the same `Idempotency-Key`, may be told again.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    description: 'Makes a retry of the whole request safe, for two days. 1 to 256 characters.',
    required: false,
  })
  @ApiBody({
    schema: {
      oneOf: [
        { $ref: getSchemaPath(EventDto) },
        { type: 'array', items: { $ref: getSchemaPath(EventDto) }, minItems: 1, maxItems: MAX_OWN_EVENTS },
      ],
    },
    examples: { 'One event': { value: ONE }, 'Several events': { value: MANY } },
  })
  @ApiResponse({
    status: HttpStatus.OK,
    description: 'They are stored, and the list is as they say.',
    type: EventResultsDto,
    example: TAKEN,
  })
  @ApiErrors(
    ValidationError.like('[1].email', 'must contain an @'),
    InvalidIdempotencyKeyError,
    IdempotencyConflictError,
    SourcePausedError,
  )
  tell(
    @CurrentCaller() { accountId }: Caller,
    @Body() body: unknown,
    @Deadline() deadline: number,
    @Headers('Idempotency-Key') requestKey?: string,
  ): Promise<EventResultsDto> {
    return this.events.tell(accountId, body, requestKey, deadline);
  }
}
