import { PROVIDER_SETTLING_MS } from '../../config/time-limits.js';
import type { Cause } from '../../ledger/cause.js';
import type { ProviderFailure } from '../client/provider-failure.js';
import type { ListedEntry } from '../comparison/to-entry.js';
import type { ListProvider } from '../providers/provider.js';
import { isRemovable, shownAs } from './push-decisions.js';
import type { TakenPush } from './outbox.repository.js';
import type { ProviderListPush } from './provider-list-push.entity.js';

/** A confirmation that was not sent within this time may be about an entry that the provider has since replaced. */
const CONSENT_VALID_MS = 7 * 24 * 60 * 60_000;
/**
 * If the provider cannot look an entry up, a later complaint would be removed unseen. At a removal every 12 seconds (Brevo), the
 * 200 that can be confirmed in a day take 40 minutes.
 */
const UNSEEN_CONSENT_VALID_MS = 60 * 60_000;

/** About three days, so that a change survives an outage of the provider over a weekend. */
const MAX_ATTEMPTS = 80;
const FIRST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 60 * 60_000;
/** Each delay is extended at random by up to this fraction. */
const JITTER = 0.2;
const REFUSED = 'The provider refused it for this address.';
const IMPOSSIBLE = 'The provider does not allow this entry to be removed, so it was not asked.';
/** Why a removal waits. */
export const CAPPED =
  'The limit of removals without a plan in 24 hours is reached. The next attempt is at next_attempt_at.';
const NOT_CONFIRMED =
  'The provider listed the address again after the removal was confirmed, or the confirmation was too old to act on. Confirm it again.';

/** The properties of a provider's entry that matter for a change. */
export type FoundEntry = Pick<ListedEntry, 'cause' | 'listedAt'> & { isPermanent: boolean };

/**
 * `done`: the change is already made. `there`: the provider has an entry of its own. `changed`: its entry is not the one that
 * the decision was about. `impossible`: it does not allow the entry to be removed.
 */
export type Verdict = 'send' | 'done' | 'there' | 'changed' | 'impossible';

/** `refused`: the provider refused the change. `superseded`: the change was not sent, because it is out of date. */
export type SendResult = Exclude<Verdict, 'send'> | 'refused' | 'superseded';

/**
 * Decides what to do after the entry was looked up. An entry belongs to this service if it has the cause and the time of an
 * addition that was sent; otherwise, it belongs to the provider. Without a person's confirmation, only entries of this service
 * are removed, and bounces that are not later than the lift. A confirmation does not cover an entry that the provider listed
 * after it.
 */
export function judge(provider: ListProvider, push: TakenPush, found: FoundEntry | null): Verdict {
  return push.action === 'add' ? judgeAddition(provider, push, found) : judgeRemoval(provider, push, found);
}

function judgeAddition(provider: ListProvider, push: TakenPush, found: FoundEntry | null): Verdict {
  if (!found) {
    return 'send';
  }
  const cause = shownAs(push.cause, push.list, provider);
  return isOwn(found, cause, push.sentAt) || isOwn(found, cause, push.putAt) ? 'done' : 'there';
}

function judgeRemoval(
  provider: ListProvider,
  { list, cause, since, putAt, consent }: TakenPush,
  found: FoundEntry | null,
): Verdict {
  if (!found) {
    return 'done';
  }
  if (found.isPermanent || (found.cause !== null && !isRemovable(provider, list, found.cause))) {
    return 'impossible';
  }
  if (consent) {
    return found.listedAt && found.listedAt > since ? 'changed' : 'send';
  }
  if (isOwn(found, cause, putAt)) {
    return 'send';
  }
  const isLiftedBounce =
    cause === 'bounce' && found.cause === 'bounce' && found.listedAt !== null && found.listedAt <= since;
  return isLiftedBounce ? 'send' : 'changed';
}

/** Whether a confirmation is too old to act on. */
export function isOutdated(provider: ListProvider, { consent, since }: TakenPush, now: Date): boolean {
  const validMs = provider.find ? CONSENT_VALID_MS : UNSEEN_CONSENT_VALID_MS;
  return consent !== null && now.getTime() - since.getTime() > validMs;
}

/** Whether this service added the entry. An entry without a date does not count as such. */
function isOwn({ cause, listedAt }: FoundEntry, expected: Cause, at: Date | null): boolean {
  return (
    cause === expected &&
    listedAt !== null &&
    at !== null &&
    Math.abs(listedAt.getTime() - at.getTime()) <= PROVIDER_SETTLING_MS
  );
}

/** The delay after some failures, in milliseconds. */
export function backoffMs(failures: number, random = Math.random()): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS) * (1 + JITTER * random);
}

/** The changes of a row after an attempt. */
export interface PushOutcome extends Partial<
  Pick<ProviderListPush, 'status' | 'attempts' | 'nextAttemptAt' | 'sentAt' | 'putAt' | 'error'>
> {
  /** Whether the row is deleted. */
  isDeleted?: true;
  /** How the plan counts the push, if it is part of one. */
  counts?: 'applied' | 'skipped';
}

/**
 * The outcome of a push that was not sent. It does not count as an attempt.
 *
 * @param error - why it waits, if it does
 */
export function releasedOutcome(
  { attempts }: TakenPush,
  nextAttemptAt: Date,
  error: string | null = null,
): PushOutcome {
  return { attempts: attempts - 1, nextAttemptAt, error };
}

/**
 * The outcome of an attempt that did not fail. An addition is not marked if the provider has an entry of its own. A removal stays
 * marked until later plans.
 */
export function outcomeOf(push: TakenPush, result: SendResult, now: Date): PushOutcome {
  const { action, sentAt, putAt, consent } = push;
  const failed = { status: 'failed', nextAttemptAt: now } as const;
  switch (result) {
    case 'superseded':
      return releasedOutcome(push, now);
    case 'refused':
      return { ...failed, error: REFUSED };
    case 'impossible':
      return { ...failed, error: IMPOSSIBLE };
    case 'changed':
      return consent ? { ...failed, error: NOT_CONFIRMED } : { isDeleted: true, counts: 'skipped' };
    case 'there':
      return { isDeleted: true, counts: 'applied' };
    case 'done': {
      const mark = action === 'add' ? (sentAt ?? putAt) : putAt;
      return { status: 'done', nextAttemptAt: now, putAt: mark, error: null, counts: 'applied' };
    }
  }
}

/**
 * The outcome of a failed attempt. If the provider is busy, or refuses the credentials, it does not count as an attempt, and
 * nothing counts as sent.
 *
 * @param push - as it was before the attempt
 */
export function failedOutcome(push: TakenPush, { kind, message }: ProviderFailure, now: Date): PushOutcome {
  if (kind === 'busy' || kind === 'refused') {
    return { ...releasedOutcome(push, now), sentAt: push.sentAt };
  }
  return {
    status: push.attempts >= MAX_ATTEMPTS ? 'failed' : 'pending',
    nextAttemptAt: new Date(now.getTime() + backoffMs(push.attempts)),
    error: message,
  };
}
