import { applyDecorators, HttpCode, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
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
    HttpCode(HttpStatus.ACCEPTED),
    OneWebhook(),
    ApiOperation({
      operationId: 'testWebhook',
      summary: 'Send a test event',
      description:
        'Sends `webhook.test`, whatever events the webhook asked for. If the endpoint receives it, whatever waits for a retry is sent at once.',
    }),
    ApiResponse({
      status: HttpStatus.ACCEPTED,
      description: 'The event will be sent.',
      type: WebhookEventIdDto,
      example: examples.EVENT_ID,
    }),
    ApiErrors(WebhookDisabledError),
  );
}

export function ReplayWebhook(): MethodDecorator {
  return applyDecorators(
    HttpCode(HttpStatus.ACCEPTED),
    OneWebhook(),
    ApiOperation({
      operationId: 'replayWebhook',
      summary: 'Send events again',
      description:
        'The changes since a time, with the same event ids, before newer ones. Events up to ten seconds older may be among them.',
    }),
    ApiBody({ type: ReplayWebhookDto, examples: examples.REPLAY_BODY }),
    ApiResponse({
      status: HttpStatus.ACCEPTED,
      description: 'The events will be sent.',
      type: WebhookIdDto,
      example: examples.WEBHOOK_ID,
    }),
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
      description: 'Newest first, of the last 30 days.',
    }),
    ApiResponse({
      status: HttpStatus.OK,
      description: 'A page of the events.',
      type: WebhookEventsPageDto,
      example: examples.EVENTS_PAGE,
    }),
    ApiErrors(InvalidLimit),
  );
}

export function GetWebhookEvent(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'getWebhookEvent',
      summary: 'Get one event of a webhook',
      description: 'With the body that is sent.',
    }),
    ApiParam(examples.EVENT_PARAM),
    ApiResponse({
      status: HttpStatus.OK,
      description: 'The event.',
      type: WebhookEventDto,
      example: examples.EVENT,
    }),
    ApiErrors(WebhookNotFoundError, WebhookEventNotFoundError),
  );
}

export function ListAttempts(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'listWebhookAttempts',
      summary: 'List the attempts to deliver an event',
      description: 'Newest first, the last 20.',
    }),
    ApiParam(examples.EVENT_PARAM),
    ApiResponse({
      status: HttpStatus.OK,
      description: 'A page of the attempts.',
      type: AttemptsPageDto,
      example: examples.ATTEMPTS_PAGE,
    }),
    ApiErrors(InvalidLimit, WebhookEventNotFoundError),
  );
}

export function ReplayWebhookEvent(): MethodDecorator {
  return applyDecorators(
    HttpCode(HttpStatus.OK),
    OneWebhook(),
    ApiOperation({
      operationId: 'replayWebhookEvent',
      summary: 'Send an event again',
      description: 'Whatever became of it. It gets as many retries as a new one.',
    }),
    ApiParam(examples.EVENT_PARAM),
    ApiResponse({
      status: HttpStatus.OK,
      description: 'The event will be sent.',
      type: WebhookEventIdDto,
      example: examples.EVENT_ID,
    }),
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
        'Newest first, of the last 30 days, with their attempts. `status=failed` lists those that were given up.',
    }),
    ApiResponse({
      status: HttpStatus.OK,
      description: 'A page of the deliveries.',
      type: DeliveriesPageDto,
      example: examples.DELIVERIES_PAGE,
    }),
    ApiErrors(ValidationError.withExample('status', 'must be one of pending, success, failed')),
  );
}
