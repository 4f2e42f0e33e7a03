import type { ProviderFailure } from '../client/provider-failure.js';
import type { PushOutcome, TakenPush } from './outbox.repository.js';
import type { SendResult } from './push-sender.js';

export const MAX_ATTEMPTS = 20;
const FIRST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 60 * 60_000;
/** Each delay is extended at random by up to this fraction. */
const JITTER = 0.2;
const REFUSED = 'The provider refused it for this address.';

/** The delay after some failures, in milliseconds. */
export function backoffMs(failures: number, random = Math.random()): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS) * (1 + JITTER * random);
}

/** The address is suppressed here again, or not any more, so that the push must not be sent. */
export function isStale({ action, isSuppressed }: TakenPush): boolean {
  return action === 'add' ? !isSuppressed : isSuppressed;
}

/**
 * A push that is not sent. What an earlier attempt may have added is removed again; what it may have removed, and this service had
 * put there, is added again.
 */
export function staleOutcome(push: TakenPush, now: Date): PushOutcome {
  const { action, attempts, attemptedAt, putAt } = push;
  const isOwn = putAt !== null || (action === 'add' && attempts > 1);
  return {
    ...untouched(push, now),
    isDeleted: !isOwn,
    action: action === 'add' ? 'remove' : 'add',
    putAt: isOwn ? (putAt ?? attemptedAt) : null,
    counts: 'skipped',
  };
}

/** The outcome of a request that succeeded. */
export function outcomeOf(push: TakenPush, result: SendResult, now: Date): PushOutcome {
  const { action, attempts, attemptedAt, putAt, consent } = push;
  const kept = { ...untouched(push, now), attempts, attemptedAt };
  switch (result) {
    case 'refused':
      return { ...kept, status: 'failed', error: REFUSED };
    case 'changed':
      return { ...kept, isDeleted: true, counts: 'skipped' };
    case 'there':
      return { ...kept, isDeleted: putAt === null, status: 'done', counts: 'applied' };
    case 'done':
      return action === 'add'
        ? { ...kept, status: 'done', putAt: now, counts: 'applied' }
        : { ...kept, isDeleted: consent === null, status: 'done', putAt: null, counts: 'applied' };
  }
}

/** The outcome of an attempt that failed. Being too early, or refused altogether, is no attempt. */
export function failedOutcome(
  push: TakenPush,
  failure: ProviderFailure,
  isAlone: boolean,
  now: Date,
): PushOutcome {
  const { attempts, attemptedAt, putAt } = push;
  if (failure.kind === 'busy' || failure.kind === 'refused') {
    const isFirst = attempts === 1;
    return {
      ...untouched(push, now),
      attempts: attempts - 1,
      attemptedAt: isFirst ? null : attemptedAt,
      putAt,
    };
  }
  const isOver = attempts >= MAX_ATTEMPTS;
  const mayBeOther = failure.kind === 'unexpected' && !isAlone;
  return {
    ...untouched(push, now),
    attempts,
    attemptedAt,
    status: isOver ? 'failed' : 'pending',
    nextAttemptAt: mayBeOther ? now : new Date(now.getTime() + backoffMs(attempts)),
    error: failure.message,
  };
}

function untouched(push: TakenPush, now: Date): PushOutcome {
  return {
    push,
    isDeleted: false,
    action: push.action,
    status: 'pending',
    attempts: 0,
    nextAttemptAt: now,
    attemptedAt: null,
    putAt: push.putAt,
    error: null,
    counts: null,
  };
}
