import type { ProviderFailure } from '../client/provider-failure.js';
import type { TakenPush } from './outbox.repository.js';
import type { PushOutcome } from './push-outcomes.repository.js';
import type { SendResult } from './push-sender.js';

const MAX_ATTEMPTS = 20;
const FIRST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 60 * 60_000;
/** Each delay is extended at random by up to this fraction. */
const JITTER = 0.2;
const REFUSED = 'The provider refused it for this address.';
const IMPOSSIBLE = 'The provider does not allow this entry to be removed, so it was not asked.';
const CAPPED =
  'The limit of removals without a plan in 24 hours is reached. The next attempt is at next_attempt_at.';
const NOT_CONFIRMED =
  'The provider listed the address again after the removal was confirmed, or it was confirmed more than a week ago. Confirm it again.';

/** The delay after some failures, in milliseconds. */
export function backoffMs(failures: number, random = Math.random()): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS) * (1 + JITTER * random);
}

/** The outcome of a removal that waits because of the cap, which is no attempt. */
export function cappedOutcome(push: TakenPush, until: Date): PushOutcome {
  return { ...untouched(push, until), attempts: push.attempts - 1, error: CAPPED };
}

/**
 * The outcome of a request that succeeded. An entry of the provider's own is not marked; a removed one is, until the next plans.
 */
export function outcomeOf(
  push: TakenPush,
  result: Exclude<SendResult, 'superseded'>,
  now: Date,
): PushOutcome {
  const { action, attempts, sentAt, putAt } = push;
  const kept = { ...untouched(push, now), attempts };
  switch (result) {
    case 'refused':
      return { ...kept, status: 'failed', error: REFUSED };
    case 'impossible':
      return { ...kept, status: 'failed', error: IMPOSSIBLE };
    case 'changed':
      if (push.consent) {
        return { ...kept, status: 'failed', error: NOT_CONFIRMED };
      }
      return { ...kept, isDeleted: true, counts: 'skipped' };
    case 'there':
      return { ...kept, isDeleted: true, counts: 'applied' };
    case 'done':
      return {
        ...kept,
        status: 'done',
        putAt: action === 'add' ? (sentAt ?? putAt) : putAt,
        counts: 'applied',
      };
  }
}

/**
 * The outcome of an attempt that failed. Being too early, or refused altogether, is no attempt, and nothing was sent.
 *
 * @param sentBefore - when an earlier attempt was sent
 */
export function failedOutcome(
  push: TakenPush,
  failure: ProviderFailure,
  sentBefore: Date | null,
  now: Date,
): PushOutcome {
  const { attempts } = push;
  if (failure.kind === 'busy' || failure.kind === 'refused') {
    return { ...untouched(push, now), attempts: attempts - 1, sentAt: sentBefore };
  }
  return {
    ...untouched(push, now),
    attempts,
    status: attempts >= MAX_ATTEMPTS ? 'failed' : 'pending',
    nextAttemptAt: new Date(now.getTime() + backoffMs(attempts)),
    error: failure.message,
  };
}

function untouched(push: TakenPush, nextAttemptAt: Date): PushOutcome {
  return {
    push,
    isDeleted: false,
    status: 'pending',
    attempts: 0,
    nextAttemptAt,
    sentAt: push.sentAt,
    putAt: push.putAt,
    error: null,
    counts: null,
  };
}
