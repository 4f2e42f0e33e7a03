import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import {
  CreateWebhookDto,
  DeletedWebhookDto,
  UpdateWebhookDto,
  WebhookDto,
  WebhookIdDto,
  WebhookSecretDto,
  WebhooksPageDto,
} from './dto/webhook.dto.js';
import {
  EndpointNotPublicError,
  NoSecretsKeyError,
  TooManyWebhooksError,
  UnreadableSigningSecretError,
  WebhookNotFoundError,
} from './errors.js';
import * as examples from './examples.js';

const InvalidEndpoint = ValidationError.withExample(
  'endpoint',
  'must be a URL such as https://example.com/webhooks',
);

export const InvalidLimit = ValidationError.withExample('limit', 'must be a whole number from 1 to 100');

export const operations = operationsOf('Webhooks', {
  createWebhook: {
    scope: 'webhooks:write',
    summary: 'Create a webhook',
    description:
      'From now on, the endpoint receives every event of the given types, signed according to Standard Webhooks 1.0. ' +
      'An account has at most 200 webhooks.',
    body: { type: CreateWebhookDto, examples: examples.CREATE_BODY },
    responds: [HttpStatus.CREATED, 'The webhook was created.', WebhookSecretDto, examples.WEBHOOK_SECRET],
    errors: [InvalidEndpoint, EndpointNotPublicError, TooManyWebhooksError, NoSecretsKeyError],
  },
  listWebhooks: {
    scope: 'webhooks:write',
    summary: 'List the webhooks',
    description: 'Newest first.',
    responds: [HttpStatus.OK, 'A page of the webhooks.', WebhooksPageDto, examples.WEBHOOKS_PAGE],
    errors: [InvalidLimit],
  },
  getWebhook: {
    scope: 'webhooks:write',
    summary: 'Get a webhook',
    description: 'Returns the webhook with its signing secret.',
    params: [examples.WEBHOOK_PARAM],
    responds: [HttpStatus.OK, 'The webhook.', WebhookDto, examples.WEBHOOK],
    errors: [WebhookNotFoundError, UnreadableSigningSecretError],
  },
  updateWebhook: {
    scope: 'webhooks:write',
    summary: 'Change a webhook',
    description:
      'A webhook that is enabled again receives the events that happened while it was disabled. Events that wait for a ' +
      'retry are sent immediately.',
    params: [examples.WEBHOOK_PARAM],
    body: { type: UpdateWebhookDto, examples: examples.UPDATE_BODY },
    responds: [HttpStatus.OK, 'The webhook was changed.', WebhookIdDto, examples.WEBHOOK_ID],
    errors: [WebhookNotFoundError, InvalidEndpoint, EndpointNotPublicError],
  },
  rotateSigningSecret: {
    scope: 'webhooks:write',
    summary: 'Replace the signing secret',
    description: 'For the next 24 hours, events are signed with the old secret, too.',
    params: [examples.WEBHOOK_PARAM],
    responds: [HttpStatus.OK, 'The new secret.', WebhookSecretDto, examples.WEBHOOK_SECRET],
    errors: [WebhookNotFoundError, NoSecretsKeyError],
  },
  deleteWebhook: {
    scope: 'webhooks:write',
    summary: 'Delete a webhook',
    description:
      'Deletes the webhook and its deliveries. If there are too many deliveries for one request, the response is 503: ' +
      'some of them are deleted, and nothing more is sent to the endpoint. Repeat the request until it succeeds.',
    params: [examples.WEBHOOK_PARAM],
    responds: [HttpStatus.OK, 'The webhook was deleted.', DeletedWebhookDto, examples.DELETED],
    errors: [WebhookNotFoundError],
  },
});
