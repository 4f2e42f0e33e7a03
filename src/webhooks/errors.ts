import { apiError } from '../http/errors/api-error.js';

/**
 * The account has no webhook with this id.
 *
 * `GET /webhooks` lists the webhooks.
 */
export class WebhookNotFoundError extends apiError(404, 'webhook_not_found', 'No webhook has this id.') {}

/**
 * The webhook was never sent an event with this id, or the event is older than 30 days.
 *
 * `GET /webhooks/:webhook/events` lists the events. `POST /webhooks/:webhook/replay` sends older changes again.
 */
export class WebhookEventNotFoundError extends apiError(
  404,
  'webhook_event_not_found',
  'This webhook has no event with this id, or the event is older than 30 days.',
) {}

/**
 * A disabled webhook can neither be tested nor repeat an event.
 *
 * The field `disabled_reason` of the webhook has the reason. When you enable the webhook, it receives the events that it
 * missed.
 */
export class WebhookDisabledError extends apiError(
  409,
  'webhook_disabled',
  'The webhook is disabled. Enable it first: PATCH with {"status":"enabled"}.',
) {}

/**
 * The account has 200 webhooks already.
 *
 * Nothing was created.
 */
export class TooManyWebhooksError extends apiError(
  409,
  'too_many_webhooks',
  (limit: number) =>
    `The account has ${limit} webhooks, the maximum. Delete one, or let one endpoint forward events to others.`,
  { example: [200] },
) {}

/**
 * The host in the URL of a webhook is `localhost`, or an address that is private, loopback, or otherwise not public, and the
 * operator has not allowed it.
 *
 * Nothing was created or changed. Names other than `localhost` are accepted, because each connection checks their addresses.
 */
export class EndpointNotPublicError extends apiError(
  422,
  'endpoint_not_public',
  'The address of the endpoint is not public, so no event would reach it. Use a public address, or ask the operator to ' +
    'allow this one with WEBHOOK_ALLOWED_NETWORKS.',
) {}

/**
 * The signing secret of a webhook was encrypted with another `SECRETS_KEY`.
 *
 * The webhook receives no events until an instance has the key, or until `POST /webhooks/:webhook/signing-secret/rotate` has
 * replaced the secret. No event is lost.
 */
export class UnreadableSigningSecretError extends apiError(
  503,
  'signing_secret_unreadable',
  'The signing secret of this webhook cannot be read: the operator must restore the SECRETS_KEY that encrypted it. If ' +
    'that key is lost, rotate the signing secret.',
) {}

/**
 * The service has no key with which to encrypt the signing secret of a webhook, or the credentials of a provider list.
 *
 * Nothing was changed. The operator sets `SECRETS_KEY` to the output of `openssl rand -hex 32` and restarts the service.
 */
export class NoSecretsKeyError extends apiError(
  503,
  'secrets_key_missing',
  'The service cannot store secrets: its operator must set SECRETS_KEY.',
) {}
