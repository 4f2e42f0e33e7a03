import { HttpStatus } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, getSchemaPath } from '@nestjs/swagger';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { IdempotencyConflictError, InvalidIdempotencyKeyError } from '../http/idempotency.js';
import { EventResultsDto, PostedEventDto } from './create-events.dto.js';
import { EventsPageDto } from './event.dto.js';
import { DELIVERY_EVENT_KINDS } from './parsing/delivery-event.js';
import { MAX_POSTED_EVENTS } from './posted-events.js';
import { SourcePausedError } from './sources/errors.js';

const SUPPRESSION_ID = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';
const REASON = 'The mailbox does not exist.';
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

const RESULTS: EventResultsDto = {
  data: [{ object: 'event', outcome: 'added', reason: REASON, suppression_id: SUPPRESSION_ID }],
};

const EVENTS_PAGE: EventsPageDto = {
  object: 'list',
  has_more: false,
  data: [
    {
      object: 'event',
      id: '0198a5f2-6d1d-7a10-8b22-9d0c4e5f6a7b',
      kind: 'bounce',
      email: ONE.email,
      source: { id: '0198a5f0-52b3-7a41-8c6d-7e8f9a0b1c2d', name: 'event', provider: 'event' },
      status: ONE.status,
      diagnostic: ONE.diagnostic,
      effect: 'suppress',
      outcome: 'added',
      reason: REASON,
      suppression_id: SUPPRESSION_ID,
      topic: null,
      rule_id: null,
      occurred_at: null,
      received_at: '2026-01-15T09:30:00.000Z',
    },
  ],
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
      ApiHeader({
        name: 'Idempotency-Key',
        description:
          'With the same key, the whole request can be repeated safely for two days. 1 to 256 characters.',
        required: false,
      }),
    ],
    responds: [HttpStatus.OK, 'The events are stored and applied to the list.', EventResultsDto, RESULTS],
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
    responds: [HttpStatus.OK, 'A page of the events.', EventsPageDto, EVENTS_PAGE],
    errors: [ValidationError.withExample('kind', `must be one of ${DELIVERY_EVENT_KINDS.join(', ')}`)],
  },
});
