import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { idParam } from '../http/path-param.js';
import { exampleOf } from '../http/responses/response.decorators.js';
import {
  EndpointNotPublicError,
  NoSecretsKeyError,
  TooManyWebhooksError,
  UnreadableSigningSecretError,
  WebhookDisabledError,
  WebhookEventNotFoundError,
  WebhookNotFoundError,
} from './errors.js';
import {
  AttemptsPageDto,
  DeliveriesPageDto,
  ReplayWebhookDto,
  WebhookEventDto,
  WebhookEventIdDto,
  WebhookEventsPageDto,
} from './webhook-event.dto.js';
import {
  CreateWebhookDto,
  DeletedWebhookDto,
  UpdateWebhookDto,
  WebhookDto,
  WebhookIdDto,
  WebhookSecretDto,
  WebhooksPageDto,
} from './webhook.dto.js';

/** The requests run as they are, from the top of the page at /docs to its end: the webhook is deleted last. */
const ENDPOINT = 'https://example.com/webhooks';

const ID = exampleOf(WebhookIdDto).id;

export const WebhookId = idParam('webhook', WebhookNotFoundError, {
  description: 'Its id.',
  example: ID,
});

export const WebhookEventId = idParam('webhook_event', WebhookEventNotFoundError, {
  description: 'The id of the event.',
  example: exampleOf(WebhookEventIdDto).id,
});

const CREATE_BODY = {
  'Added and removed': {
    value: { endpoint: ENDPOINT, events: ['suppression.added', 'suppression.removed'] },
  },
  'Every change': { value: { endpoint: ENDPOINT, events: ['suppression.changed', 'preference.changed'] } },
};

const UPDATE_BODY = {
  'Other events': { value: { events: ['suppression.added'] } },
  'Disable it': { value: { status: 'disabled' } },
};

const REPLAY_BODY = { 'Since a time': { value: { since: '2026-01-15T09:00:00Z' } } };

const { type, created_at } = exampleOf(WebhookEventDto);
const PAYLOAD = { type, created_at, data: { webhook_id: ID } };

const InvalidEndpoint = ValidationError.withExample(
  'endpoint',
  'must be a URL such as https://example.com/webhooks',
);

export const operations = operationsOf('Webhooks', {
  createWebhook: {
    scope: 'webhooks:write',
    summary: 'Create a webhook',
    description:
      'From now on, the endpoint receives every event of the given types, signed according to Standard Webhooks 1.0. ' +
      'An account has at most 200 webhooks.',
    body: { type: CreateWebhookDto, examples: CREATE_BODY },
    responds: [HttpStatus.CREATED, 'The webhook was created.', WebhookSecretDto],
    errors: [InvalidEndpoint, EndpointNotPublicError, TooManyWebhooksError, NoSecretsKeyError],
  },
  listWebhooks: {
    scope: 'webhooks:write',
    summary: 'List the webhooks',
    description: 'Newest first.',
    responds: [HttpStatus.OK, 'A page of the webhooks.', WebhooksPageDto],
  },
  getWebhook: {
    scope: 'webhooks:write',
    summary: 'Get a webhook',
    description: 'Returns the webhook with its signing secret.',
    responds: [HttpStatus.OK, 'The webhook.', WebhookDto],
    errors: [UnreadableSigningSecretError],
  },
  updateWebhook: {
    scope: 'webhooks:write',
    summary: 'Change a webhook',
    description:
      'A webhook that is enabled again receives the events that happened while it was disabled. Events that wait for a ' +
      'retry are sent immediately.',
    body: { type: UpdateWebhookDto, examples: UPDATE_BODY },
    responds: [HttpStatus.OK, 'The webhook was changed.', WebhookIdDto],
    errors: [InvalidEndpoint, EndpointNotPublicError],
  },
  rotateSigningSecret: {
    scope: 'webhooks:write',
    summary: 'Replace the signing secret',
    description: 'For the next 24 hours, events are signed with the old secret, too.',
    responds: [HttpStatus.OK, 'The new secret.', WebhookSecretDto],
    errors: [NoSecretsKeyError],
  },
  deleteWebhook: {
    scope: 'webhooks:write',
    summary: 'Delete a webhook',
    description:
      'Deletes the webhook and its deliveries. If there are too many deliveries for one request, the response is 503: ' +
      'some of them are deleted, and nothing more is sent to the endpoint. Repeat the request until it succeeds.',
    responds: [HttpStatus.OK, 'The webhook was deleted.', DeletedWebhookDto],
  },
  testWebhook: {
    scope: 'webhooks:write',
    summary: 'Send a test event',
    description:
      'Sends a `webhook.test` event, regardless of the types that the webhook receives. If the endpoint accepts it, ' +
      'the events that wait for a retry are sent immediately.',
    responds: [HttpStatus.ACCEPTED, 'The event will be sent.', WebhookEventIdDto],
    errors: [WebhookDisabledError],
  },
  replayWebhook: {
    scope: 'webhooks:write',
    summary: 'Send events again',
    description:
      'Sends all changes since a time again, with the same event ids and before newer changes. Events that are up to ' +
      'ten seconds older may be included.',
    body: { type: ReplayWebhookDto, examples: REPLAY_BODY },
    responds: [HttpStatus.ACCEPTED, 'The events will be sent.', WebhookIdDto],
    errors: [
      ValidationError.withExample(
        'since',
        'must be a timestamp in ISO 8601 with its offset: 2026-01-15T09:00:00Z',
      ),
    ],
  },
  listWebhookEvents: {
    scope: 'webhooks:write',
    summary: 'List the events of a webhook',
    description: 'Returns the events of the last 30 days, newest first.',
    responds: [HttpStatus.OK, 'A page of the events.', WebhookEventsPageDto],
  },
  getWebhookEvent: {
    scope: 'webhooks:write',
    summary: 'Get an event of a webhook',
    description: 'Returns the event with the body that is sent.',
    responds: [
      HttpStatus.OK,
      'The event.',
      WebhookEventDto,
      exampleOf(WebhookEventDto, { payload: PAYLOAD }),
    ],
  },
  listWebhookAttempts: {
    scope: 'webhooks:write',
    summary: 'List the attempts to deliver an event',
    description: 'Returns the last 20 attempts, newest first.',
    responds: [HttpStatus.OK, 'A page of the attempts.', AttemptsPageDto],
  },
  replayWebhookEvent: {
    scope: 'webhooks:write',
    summary: 'Send an event again',
    description: 'Sends the event again, whatever its status is. It gets as many retries as a new event.',
    responds: [HttpStatus.OK, 'The event will be sent.', WebhookEventIdDto],
    errors: [WebhookDisabledError],
  },
  listWebhookDeliveries: {
    scope: 'webhooks:write',
    summary: 'List the deliveries of a webhook',
    description:
      'Returns the deliveries of the last 30 days with their attempts, newest first. `status=failed` lists those whose ' +
      'retries are used up.',
    responds: [HttpStatus.OK, 'A page of the deliveries.', DeliveriesPageDto],
    errors: [ValidationError.withExample('status', 'must be one of pending, success, failed')],
  },
});
