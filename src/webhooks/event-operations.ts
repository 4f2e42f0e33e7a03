import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam } from '@nestjs/swagger';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import {
  AttemptsPageDto,
  DeliveriesPageDto,
  ReplayWebhookDto,
  WebhookEventDto,
  WebhookEventIdDto,
  WebhookEventsPageDto,
} from './dto/webhook-event.dto.js';
import { WebhookIdDto } from './dto/webhook.dto.js';
import { WebhookDisabledError, WebhookEventNotFoundError, WebhookNotFoundError } from './errors.js';
import * as examples from './examples.js';
import { InvalidLimit, OneWebhook } from './operations.js';

export function TestWebhook(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'testWebhook',
      summary: 'Send a test event',
      description:
        'Sends a `webhook.test` event, regardless of the types that the webhook receives. If the endpoint accepts it, ' +
        'the events that wait for a retry are sent immediately.',
    }),
    Responds(HttpStatus.ACCEPTED, 'The event will be sent.', WebhookEventIdDto, examples.EVENT_ID),
    ApiErrors(WebhookDisabledError),
  );
}

export function ReplayWebhook(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'replayWebhook',
      summary: 'Send events again',
      description:
        'Sends all changes since a time again, with the same event ids and before newer changes. Events that are up to ' +
        'ten seconds older may be included.',
    }),
    ApiBody({ type: ReplayWebhookDto, examples: examples.REPLAY_BODY }),
    Responds(HttpStatus.ACCEPTED, 'The events will be sent.', WebhookIdDto, examples.WEBHOOK_ID),
    ApiErrors(
      ValidationError.withExample(
        'since',
        'must be a timestamp in ISO 8601 with its offset: 2026-01-15T09:00:00Z',
      ),
    ),
  );
}

export function ListWebhookEvents(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'listWebhookEvents',
      summary: 'List the events of a webhook',
      description: 'Returns the events of the last 30 days, newest first.',
    }),
    Responds(HttpStatus.OK, 'A page of the events.', WebhookEventsPageDto, examples.EVENTS_PAGE),
    ApiErrors(InvalidLimit),
  );
}

export function GetWebhookEvent(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'getWebhookEvent',
      summary: 'Get an event of a webhook',
      description: 'Returns the event with the body that is sent.',
    }),
    ApiParam(examples.EVENT_PARAM),
    Responds(HttpStatus.OK, 'The event.', WebhookEventDto, examples.EVENT),
    ApiErrors(WebhookNotFoundError, WebhookEventNotFoundError),
  );
}

export function ListAttempts(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'listWebhookAttempts',
      summary: 'List the attempts to deliver an event',
      description: 'Returns the last 20 attempts, newest first.',
    }),
    ApiParam(examples.EVENT_PARAM),
    Responds(HttpStatus.OK, 'A page of the attempts.', AttemptsPageDto, examples.ATTEMPTS_PAGE),
    ApiErrors(InvalidLimit, WebhookEventNotFoundError),
  );
}

export function ReplayWebhookEvent(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'replayWebhookEvent',
      summary: 'Send an event again',
      description: 'Sends the event again, whatever its status is. It gets as many retries as a new event.',
    }),
    ApiParam(examples.EVENT_PARAM),
    Responds(HttpStatus.OK, 'The event will be sent.', WebhookEventIdDto, examples.EVENT_ID),
    ApiErrors(WebhookEventNotFoundError, WebhookDisabledError),
  );
}

export function ListDeliveries(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'listWebhookDeliveries',
      summary: 'List the deliveries of a webhook',
      description:
        'Returns the deliveries of the last 30 days with their attempts, newest first. `status=failed` lists those whose ' +
        'retries are used up.',
    }),
    Responds(HttpStatus.OK, 'A page of the deliveries.', DeliveriesPageDto, examples.DELIVERIES_PAGE),
    ApiErrors(ValidationError.withExample('status', 'must be one of pending, success, failed')),
  );
}
