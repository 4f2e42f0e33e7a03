import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
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
const Webhooks = () => applyDecorators(RequireScope('webhooks:write'), ApiTags('Webhooks'));
export const OneWebhook = () =>
  applyDecorators(Webhooks(), ApiParam(examples.WEBHOOK_PARAM), ApiErrors(WebhookNotFoundError));

export function CreateWebhook(): MethodDecorator {
  return applyDecorators(
    Webhooks(),
    ApiOperation({
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'From now on, the endpoint receives every event of the given types, signed according to Standard Webhooks 1.0. ' +
        'An account has at most 200 webhooks.',
    }),
    ApiBody({ type: CreateWebhookDto, examples: examples.CREATE_BODY }),
    Responds(HttpStatus.CREATED, 'The webhook was created.', WebhookSecretDto, examples.WEBHOOK_SECRET),
    ApiErrors(InvalidEndpoint, EndpointNotPublicError, TooManyWebhooksError, NoSecretsKeyError),
  );
}

export function ListWebhooks(): MethodDecorator {
  return applyDecorators(
    Webhooks(),
    ApiOperation({ operationId: 'listWebhooks', summary: 'List the webhooks', description: 'Newest first.' }),
    Responds(HttpStatus.OK, 'A page of the webhooks.', WebhooksPageDto, examples.WEBHOOKS_PAGE),
    ApiErrors(InvalidLimit),
  );
}

export function GetWebhook(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'getWebhook',
      summary: 'Get a webhook',
      description: 'Returns the webhook with its signing secret.',
    }),
    Responds(HttpStatus.OK, 'The webhook.', WebhookDto, examples.WEBHOOK),
    ApiErrors(UnreadableSigningSecretError),
  );
}

export function UpdateWebhook(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'updateWebhook',
      summary: 'Change a webhook',
      description:
        'A webhook that is enabled again receives the events that happened while it was disabled. Events that wait for a ' +
        'retry are sent immediately.',
    }),
    ApiBody({ type: UpdateWebhookDto, examples: examples.UPDATE_BODY }),
    Responds(HttpStatus.OK, 'The webhook was changed.', WebhookIdDto, examples.WEBHOOK_ID),
    ApiErrors(InvalidEndpoint, EndpointNotPublicError),
  );
}

export function RotateSigningSecret(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'rotateSigningSecret',
      summary: 'Replace the signing secret',
      description: 'For the next 24 hours, events are signed with the old secret, too.',
    }),
    Responds(HttpStatus.OK, 'The new secret.', WebhookSecretDto, examples.WEBHOOK_SECRET),
    ApiErrors(NoSecretsKeyError),
  );
}

export function DeleteWebhook(): MethodDecorator {
  return applyDecorators(
    OneWebhook(),
    ApiOperation({
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      description:
        'Deletes the webhook and its deliveries. If there are too many deliveries for one request, the response is 503: ' +
        'some of them are deleted, and nothing more is sent to the endpoint. Repeat the request until it succeeds.',
    }),
    Responds(HttpStatus.OK, 'The webhook was deleted.', DeletedWebhookDto, examples.DELETED),
  );
}
