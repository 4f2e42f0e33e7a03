import { HttpStatus } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, getSchemaPath } from '@nestjs/swagger';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { EventResultsDto, PostedEventDto } from './dto/create-events.dto.js';
import { EventsPageDto } from './dto/list-events.dto.js';
import { IdempotencyConflictError, InvalidIdempotencyKeyError } from '../http/idempotency.js';
import * as examples from './examples.js';
import { MAX_POSTED_EVENTS } from './parse-posted-events.js';
import { SourcePausedError } from './sources/errors.js';

const event = { $ref: getSchemaPath(PostedEventDto) };

export const operations = operationsOf('Events', {
  createEvents: {
    scope: 'events:write',
    summary: 'Report delivery events',
    description:
      'For your own mailers: reports bounces, complaints, and unsubscribes. The body is one event, or an array of up ' +
      'to 100. You can safely repeat any request with an `Idempotency-Key`, and without one an event with an `occurred_at`: a ' +
      'repetition has no effect. Any other event is new: if its cause has been lifted in the meantime, it suppresses the address again.',
    body: {
      schema: { oneOf: [event, { type: 'array', items: event, minItems: 1, maxItems: MAX_POSTED_EVENTS }] },
      examples: examples.CREATE_BODY,
    },
    decorators: [
      ApiExtraModels(PostedEventDto),
      ApiHeader({
        name: 'Idempotency-Key',
        description:
          'With the same key, the whole request can be repeated safely for two days. 1 to 256 characters.',
        required: false,
      }),
    ],
    responds: [
      HttpStatus.OK,
      'The events are stored and applied to the list.',
      EventResultsDto,
      examples.RESULTS,
    ],
    errors: [
      ValidationError.withExample('[1].email', 'must contain an @'),
      InvalidIdempotencyKeyError,
      IdempotencyConflictError,
      SourcePausedError,
    ],
  },
  listEvents: {
    scope: 'events:read',
    summary: 'List delivery events',
    description:
      'Returns the events of all sources of the account, newest first: what providers, mail servers, and your own ' +
      'mailers reported, and how it changed the list. Events that changed nothing are deleted after ' +
      '`INBOX_RETENTION_DAYS`, a setting of the service.',
    responds: [HttpStatus.OK, 'A page of the events.', EventsPageDto, examples.EVENTS_PAGE],
    errors: [ValidationError.withExample('kind', 'must be one of bounce, complaint, unsubscribe')],
  },
});
