import { HttpStatus } from '@nestjs/common';
import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import {
  ApiIdempotencyKey,
  IdempotencyConflictError,
  InvalidIdempotencyKeyError,
} from '../http/idempotency.js';
import { EventResultsDto, EventsPageDto, PostedEventDto } from './event.dto.js';
import { DELIVERY_EVENT_KINDS } from './parsing/delivery-event.js';
import { MAX_POSTED_EVENTS } from './posted-events.js';
import { SourcePausedError } from './sources/errors.js';

const ONE = {
  type: 'bounce',
  email: 'gone@example.com',
  status: '5.1.1',
  diagnostic: '550 5.1.1 no such user',
};

const CREATE_BODY = {
  'One event': { value: ONE },
  'Several events': { value: [ONE, { type: 'complaint', email: 'angry@example.com' }] },
};

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
      examples: CREATE_BODY,
    },
    decorators: [
      ApiExtraModels(PostedEventDto),
      ApiIdempotencyKey('With the same key, the whole request can be repeated safely for two days.'),
    ],
    responds: [HttpStatus.OK, 'The events are stored and applied to the list.', EventResultsDto],
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
      'mailers reported, and how it changed the list. Deliveries, soft failures, and others that ask for no change are ' +
      'deleted after the `inbox_retention` of the account; hard bounces, complaints, and unsubscribes stay.',
    responds: [HttpStatus.OK, 'A page of the events.', EventsPageDto],
    errors: [ValidationError.withExample('kind', `must be one of ${DELIVERY_EVENT_KINDS.join(', ')}`)],
  },
});
