import type { WebhookDelivery } from '../webhook-delivery.entity.js';
import type { DisabledReason } from '../webhook.entity.js';
import type { EndpointResponse } from '../endpoint/webhook-client.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The delays between attempts. */
export const RETRY_DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];
/** The time from the first attempt of an event to the last, without jitter and Retry-After. */
export const RETRIES_MS = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay);
/** Each delay is extended at random by up to this fraction. */
const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = DAY;
const MAX_FAILING_MS = 5 * DAY;
/** A retry after more than seven hours, so that no short failure after a quiet week disables an endpoint. */
const MIN_TRIES_TO_DISABLE = 6;
const GONE = 410;

/** The state of a delivery after an attempt. */
export type DeliveryState = Pick<WebhookDelivery, 'status' | 'tries' | 'nextAttemptAt'>;

/**
 * @param tries - the number of attempts, including this one
 * @param random - from 0 to 1
 */
export function stateAfterAttempt(
  tries: number,
  response: EndpointResponse,
  now: Date,
  random = Math.random(),
): DeliveryState {
  if (isSuccess(response)) {
    return { status: 'success', tries, nextAttemptAt: null };
  }
  const scheduled = RETRY_DELAYS_MS[tries - 1];
  if (scheduled === undefined) {
    return { status: 'failed', tries, nextAttemptAt: null };
  }
  const requested = Math.min(response.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  const delay = Math.max(scheduled * (1 + JITTER * random), requested);
  return { status: 'pending', tries, nextAttemptAt: new Date(now.getTime() + delay) };
}

/**
 * @param tries - the number of attempts of the event
 * @param failingSince - when the first attempt after the last success failed
 */
export function reasonToDisable(
  tries: number,
  { statusCode }: EndpointResponse,
  failingSince: Date,
  now: Date,
): DisabledReason | null {
  if (statusCode === GONE) {
    return 'gone';
  }
  const isFailing = now.getTime() - failingSince.getTime() >= MAX_FAILING_MS;
  return isFailing && tries >= MIN_TRIES_TO_DISABLE ? 'failing' : null;
}

export function isSuccess({ statusCode }: EndpointResponse): boolean {
  return statusCode >= 200 && statusCode < 300;
}
