import type { Cause } from '../../ledger/cause.js';
import type { ListedEntry } from '../comparison/to-entry.js';
import type { ListProvider } from '../providers/provider.js';
import { removable, shownAs } from './push-decisions.js';
import type { TakenPush } from './outbox.repository.js';

/** How much a provider's clock may differ, and how long it may take to show an entry. */
const SETTLING_MS = 5 * 60_000;
/** A confirmation that was not sent within this time may be about an entry that the provider has replaced since. */
const CONSENT_VALID_MS = 7 * 24 * 60 * 60_000;

/** What the provider has, as far as it matters for a change. */
export type FoundEntry = Pick<ListedEntry, 'cause' | 'listedAt'> & { isPermanent: boolean };

/**
 * `there`: the provider has an entry of its own. `changed`: it has another one than was decided about. `impossible`: it lets
 * nobody remove what it has.
 */
export type Verdict = 'send' | 'done' | 'there' | 'changed' | 'impossible';

/**
 * What to do after the entry was looked up. An entry that is found is the provider's own, unless it has the cause and the time of
 * an addition that was sent. Without a person's confirmation, only own entries are removed, and bounces that are not later than
 * the lift. A confirmation is not about what the provider listed after it.
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
  if (found.isPermanent || (found.cause !== null && !removable(provider, list, found.cause))) {
    return 'impossible';
  }
  if (consent) {
    return found.listedAt && found.listedAt.getTime() > since.getTime() + SETTLING_MS ? 'changed' : 'send';
  }
  if (isOwn(found, cause, putAt)) {
    return 'send';
  }
  const isLiftedBounce =
    cause === 'bounce' && found.cause === 'bounce' && found.listedAt !== null && found.listedAt <= since;
  return isLiftedBounce ? 'send' : 'changed';
}

/** Whether a confirmation is too old to be acted upon. */
export function isOutdated({ consent, since }: TakenPush, now: Date): boolean {
  return consent !== null && now.getTime() - since.getTime() > CONSENT_VALID_MS;
}

/** An entry without a date is never own. */
function isOwn({ cause, listedAt }: FoundEntry, expected: Cause, at: Date | null): boolean {
  return (
    cause === expected &&
    listedAt !== null &&
    at !== null &&
    Math.abs(listedAt.getTime() - at.getTime()) <= SETTLING_MS
  );
}
