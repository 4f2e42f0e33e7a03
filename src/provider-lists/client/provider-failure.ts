import { describeFailure } from '../../webhooks/endpoint/endpoint.js';

/** A response is abandoned after this time without a byte. */
export const SILENCE_MS = 15_000;

/** The kinds of failed requests, by their consequence for a list. */
export type FailureKind = 'refused' | 'busy' | 'unavailable' | 'unexpected';

/** A provider did not respond as documented. The message quotes nothing from the response. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';

  /** @param retryAfterMs - how long the provider asks to wait; null if it does not ask */
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

export const UNEXPECTED_BODY = new ProviderFailure(
  'unexpected',
  'The provider sent a body in a form that it does not document.',
);

export const NOT_JSON = 'The provider sent a body that is not JSON, or not all of it.';

export const TOO_SLOW = new ProviderFailure('unavailable', 'The provider took too long to respond.');

/** The request may succeed after a pause that is too long to wait for. */
export class ProviderPause extends Error {
  constructor(
    readonly failure: ProviderFailure,
    readonly pauseMs: number,
  ) {
    super(failure.message);
  }
}

export class SilenceError extends Error {}

/** The failure that a list shows for a connection error. The error of an aborted request stays as it is. */
export function toProviderFailure(error: NodeJS.ErrnoException): Error {
  if (error instanceof SilenceError) {
    const seconds = SILENCE_MS / 1_000;
    return new ProviderFailure('unavailable', `The provider sent nothing for ${seconds} seconds.`);
  }
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return error;
  }
  if (error.message.includes('is not allowed')) {
    const advice = 'The operator can allow it with WEBHOOK_ALLOWED_NETWORKS.';
    return new ProviderFailure('unexpected', `The address of the provider is not public. ${advice}`);
  }
  return new ProviderFailure(
    'unavailable',
    describeFailure(error).replaceAll('the endpoint', 'the provider'),
  );
}

export function refusedCredentials(status: number): ProviderFailure {
  return new ProviderFailure('refused', `The provider refused the credentials (${status}).`);
}

export function requireSuccess(status: number, permission: string, retryAfterMs: number | null): void {
  if (status >= 200 && status < 300) {
    return;
  }
  if (status === 401) {
    throw refusedCredentials(status);
  }
  if (status === 403) {
    throw new ProviderFailure('refused', `The credentials lack the permission ${permission} (403).`);
  }
  if (status === 429) {
    throw new ProviderFailure('busy', 'The provider received too many requests (429).', retryAfterMs);
  }
  if (status >= 500) {
    throw new ProviderFailure('unavailable', `The provider failed (${status}).`, retryAfterMs);
  }
  const hint = status === 404 ? ' Check the scope and the credentials of the list.' : '';
  throw new ProviderFailure('unexpected', `The provider responded ${status}.${hint}`);
}

/** An error that begins with the name of a scope. */
const SCOPE_ERROR =
  /"(?:message|detail|title|name)":"(?:the )?(?:domain|tenant|stream|message stream|subaccount|subuser)\b/i;

/**
 * Whether a 404 is about the address. A 404 that names the scope, or is not JSON, says nothing about the address: the settings
 * of the list are wrong, or another server responded.
 */
export function isAbsent(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !SCOPE_ERROR.test(JSON.stringify(body));
}
