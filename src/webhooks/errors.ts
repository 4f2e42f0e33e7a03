import { ApiError } from '../http/errors/api-error.js';

export class WebhookNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'webhook_not_found';

  constructor() {
    super('No webhook has this id.');
  }

  static example(): WebhookNotFoundError {
    return new WebhookNotFoundError();
  }
}

export class WebhookEventNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'webhook_event_not_found';

  constructor() {
    super('This webhook has no event with this id, or the event is older than 30 days.');
  }

  static example(): WebhookEventNotFoundError {
    return new WebhookEventNotFoundError();
  }
}

export class WebhookDisabledError extends ApiError {
  readonly statusCode = 409;
  override readonly name = 'validation_error';
  readonly code = 'webhook_disabled';

  constructor() {
    super('The webhook is disabled. Enable it first: PATCH with {"status":"enabled"}.');
  }

  static example(): WebhookDisabledError {
    return new WebhookDisabledError();
  }
}

export class TooManyWebhooksError extends ApiError {
  readonly statusCode = 409;
  override readonly name = 'validation_error';
  readonly code = 'too_many_webhooks';

  /** @param limit - the most webhooks that an account may have */
  constructor(limit: number) {
    super(
      `The account has ${limit} webhooks, the maximum. Delete one, or let one endpoint forward events to others.`,
    );
  }

  static example(): TooManyWebhooksError {
    return new TooManyWebhooksError(200);
  }
}

/** The URL has an address, or a name of this machine, that connections would refuse. */
export class EndpointNotPublicError extends ApiError {
  readonly statusCode = 422;
  override readonly name = 'validation_error';
  readonly code = 'endpoint_not_public';

  constructor() {
    super(
      'The address of the endpoint is not public, so no event would reach it. Use a public address, or ask the operator to ' +
        'allow this one with WEBHOOK_ALLOWED_NETWORKS.',
    );
  }

  static example(): EndpointNotPublicError {
    return new EndpointNotPublicError();
  }
}

/** This instance has another SECRETS_KEY than the one that the signing secret was encrypted with, or none. */
export class UnreadableSigningSecretError extends ApiError {
  readonly statusCode = 503;
  override readonly name = 'application_error';
  readonly code = 'signing_secret_unreadable';

  constructor() {
    super(
      'The signing secret of this webhook cannot be read: the operator must restore the SECRETS_KEY that encrypted it. If ' +
        'that key is lost, rotate the signing secret.',
    );
  }

  static example(): UnreadableSigningSecretError {
    return new UnreadableSigningSecretError();
  }
}

/** The operator has set no key to encrypt the signing secret with. */
export class NoSecretsKeyError extends ApiError {
  readonly statusCode = 503;
  override readonly name = 'application_error';
  readonly code = 'secrets_key_missing';

  constructor() {
    super('The service cannot store signing secrets: its operator must set SECRETS_KEY.');
  }

  static example(): NoSecretsKeyError {
    return new NoSecretsKeyError();
  }
}
