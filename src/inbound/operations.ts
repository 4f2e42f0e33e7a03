import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { EventResultsDto, PostedEventDto } from './dto/create-events.dto.js';
import { EventsPageDto } from './dto/list-events.dto.js';
import { IdempotencyConflictError, InvalidIdempotencyKeyError } from '../http/idempotency.js';
import * as examples from './examples.js';
import { MAX_POSTED_EVENTS } from './parse-posted-events.js';
import { SourcePausedError } from './sources/errors.js';

export function CreateEvents(): MethodDecorator {
  const event = { $ref: getSchemaPath(PostedEventDto) };
  return applyDecorators(
    RequireScope('events:write'),
    ApiTags('Events'),
    ApiOperation({
      operationId: 'createEvents',
      summary: 'Report delivery events',
      description:
        'For your own mailers: reports bounces, complaints, and unsubscribes. The body is one event, or an array of up ' +
        'to 100. You can safely repeat any request with an `Idempotency-Key`, and without one an event with an `occurred_at`: a ' +
        'repetition has no effect. Any other event is new: if its cause has been lifted in the meantime, it suppresses the address again.',
    }),
    ApiExtraModels(PostedEventDto),
    ApiHeader({
      name: 'Idempotency-Key',
      description:
        'With the same key, the whole request can be repeated safely for two days. 1 to 256 characters.',
      required: false,
    }),
    ApiBody({
      schema: { oneOf: [event, { type: 'array', items: event, minItems: 1, maxItems: MAX_POSTED_EVENTS }] },
      examples: examples.CREATE_BODY,
    }),
    Responds(
      HttpStatus.OK,
      'The events are stored and applied to the list.',
      EventResultsDto,
      examples.RESULTS,
    ),
    ApiErrors(
      ValidationError.withExample('[1].email', 'must contain an @'),
      InvalidIdempotencyKeyError,
      IdempotencyConflictError,
      SourcePausedError,
    ),
  );
}

export function ListEvents(): MethodDecorator {
  return applyDecorators(
    RequireScope('events:read'),
    ApiTags('Events'),
    ApiOperation({
      operationId: 'listEvents',
      summary: 'List delivery events',
      description:
        'Returns the events of all sources of the account, newest first: what providers, mail servers, and your own ' +
        'mailers reported, and how it changed the list. Events that changed nothing are deleted after ' +
        '`INBOX_RETENTION_DAYS`, a setting of the service.',
    }),
    Responds(HttpStatus.OK, 'A page of the events.', EventsPageDto, examples.EVENTS_PAGE),
    ApiErrors(ValidationError.withExample('kind', 'must be one of bounce, complaint, unsubscribe')),
  );
}
