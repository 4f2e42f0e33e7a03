import type { EmailAddress } from '../../email-address/email-address.js';
import { canExpire, causesIn, maskOf, type Cause } from '../../ledger/cause.js';
import type { Consent } from '../../ledger/evidence.js';
import type { ListProvider } from '../providers/provider.js';

/** The known facts about an address whose change is to be pushed. Times are in milliseconds since 1970. */
export interface PushState {
  email: EmailAddress;
  /** The causes of the address here, as a mask; 0 if it is not suppressed. */
  causes: number;
  since: Date | null;
  expiresAt: Date | null;
  /** Whether an incident holds the bounce of the address. */
  isHeld: boolean;
  /** Whether the account lets incidents hold bounces. */
  mayBeHeld: boolean;
  /** When somebody last lifted a bounce here. */
  bounceLiftedAt: Date | null;
  /** The entries that the provider had when a plan was last applied, if they count as suppressions. */
  entries: {
    list: string;
    address: string;
    cause: Cause;
    latestAt: number | null;
    /** Whether the plan read the entry during the lifetime of the current record. */
    isCurrent: boolean;
  }[];
  /** The completed and the open pushes. */
  pushes: {
    list: string;
    address: string;
    action: 'add' | 'remove';
    status: string;
    /** Whether this service added the entry, and the provider has reported no complaint or unsubscribe since. */
    isOwn: boolean;
    /** Whether the push belongs to the current record. */
    isCurrent: boolean;
    cause: Cause;
  }[];
}

export interface PushRules {
  provider: ListProvider;
  pushAdditions: boolean;
  pushRemovals: boolean;
  pushUnsubscribes: boolean;
}

/** A change to send to a provider. */
export interface Push {
  email: EmailAddress;
  list: string;
  address: string;
  action: 'add' | 'remove';
  cause: Cause;
  since: Date;
  consent: Consent | null;
  /** Whether to delay the push until an incident would have held the bounce. */
  waits: boolean;
}

/** The mask of an address whose only cause is an unsubscribe. */
export const UNSUBSCRIBED = maskOf(['unsubscribe']);

/** The tolerance between the time of a removal in the ledger and the time derived from it, in milliseconds. */
const SAME_TIME_MS = 1_000;

/**
 * The changes to send to the provider after changes of an address. They depend only on the current state, so the result is the
 * same if changes are missed or processed twice.
 *
 * @param liftedAt - the time of the last of these changes that removed a bounce, or may have; null if none did
 */
export function pushesFor(state: PushState, liftedAt: Date | null, rules: PushRules): Push[] {
  if (isToBeListed(state.causes, rules)) {
    return rules.pushAdditions ? additionsFor(state, rules) : [];
  }
  return rules.pushRemovals ? removalsFor(state, liftedAt, rules) : [];
}

/**
 * Whether an address belongs on the provider's list. An unsubscribe alone does not count unless unsubscribes are pushed,
 * because it would stop transactional mail there.
 */
export function isToBeListed(
  causes: number,
  { pushUnsubscribes }: Pick<PushRules, 'pushUnsubscribes'>,
): boolean {
  return causes !== 0 && (causes !== UNSUBSCRIBED || pushUnsubscribes);
}

/**
 * The lists on which the provider can keep causes. If an address has several causes, the first of these is kept: an unsubscribe
 * only if no other cause can be, and if unsubscribes are pushed.
 */
export function keptCauses(
  { additions }: ListProvider,
  { pushUnsubscribes }: Pick<PushRules, 'pushUnsubscribes'>,
): { cause: Cause; list: string }[] {
  const order: Cause[] = [
    'complaint',
    'bounce',
    'manual',
    ...(pushUnsubscribes ? ['unsubscribe' as const] : []),
  ];
  return order.flatMap((cause) => {
    const list = additions.find((addition) => addition.cause === cause)?.list ?? null;
    return list === null ? [] : [{ cause, list }];
  });
}

function additionsFor(state: PushState, rules: PushRules): Push[] {
  const { email, causes, since, expiresAt, isHeld, mayBeHeld, entries, pushes } = state;
  const addition = keptCauses(rules.provider, rules).find(({ cause }) => causesIn(causes).includes(cause));
  const isKnown = pushes.some(
    ({ action, status, cause, isCurrent }) =>
      action === 'add' && isCurrent && (status === 'done' || cause === addition?.cause),
  );
  if (!addition || isKnown || entries.some(({ isCurrent }) => isCurrent)) {
    return [];
  }
  const { list, cause } = addition;
  if (expiresAt !== null && canExpire(cause) && (isHeld || !rules.pushRemovals)) {
    return [];
  }
  const waits = mayBeHeld && cause === 'bounce';
  return [{ email, list, address: email, action: 'add', cause, since: since!, consent: null, waits }];
}

/**
 * Removals of entries that this service added, and of bounces that were lifted here after the provider listed them. A pushed
 * unsubscribe stays as long as an unsubscribe remains here.
 */
function removalsFor(state: PushState, liftedAt: Date | null, { provider }: PushRules): Push[] {
  if (!provider.find) {
    return [];
  }
  const { email, causes, pushes } = state;
  const since = liftedAt ?? new Date();
  const stale = pushes
    .filter(({ action, isOwn }) => action === 'add' && isOwn)
    .filter(({ cause }) => causes === 0 || cause !== 'unsubscribe')
    .map(({ list, address, cause }) => ({ list, address, cause: shownAs(cause, list, provider), since }));
  const removals = [...liftedBounces(state, liftedAt, provider), ...stale]
    .filter(({ list, cause }) => isRemovable(provider, list, cause))
    .map((entry) => ({ ...entry, email, action: 'remove' as const, consent: null, waits: false }));
  const queued = pushes.filter(({ action, status }) => action === 'remove' && status !== 'done').map(keyOf);
  const byKey = new Map(removals.map((push) => [keyOf(push), push]));
  return [...byKey].flatMap(([key, push]) => (queued.includes(key) ? [] : [push]));
}

/**
 * Removals of lifted bounces. If no plan has read an entry of the address, the bounce is removed from every list that may have
 * it.
 */
function liftedBounces(
  { email, bounceLiftedAt, entries }: PushState,
  liftedAt: Date | null,
  { removals }: ListProvider,
): Pick<Push, 'list' | 'address' | 'cause' | 'since'>[] {
  if (!bounceLiftedAt) {
    return [];
  }
  const lists = removals.filter(({ hasBounces }) => hasBounces).map(({ list }) => list);
  const listed = entries.filter(
    ({ list, cause, latestAt }) =>
      lists.includes(list) && cause === 'bounce' && bounceLiftedAt.getTime() > (latestAt ?? 0),
  );
  const isLiftedNow =
    liftedAt !== null && Math.abs(bounceLiftedAt.getTime() - liftedAt.getTime()) <= SAME_TIME_MS;
  const possible = isLiftedNow && entries.length === 0 ? lists.map((list) => ({ list, address: email })) : [];
  return [...listed, ...possible].map(({ list, address }) => ({
    list,
    address,
    cause: 'bounce',
    since: bounceLiftedAt,
  }));
}

/** The cause that the provider shows for an added entry. */
export function shownAs(cause: Cause, list: string, { additions }: ListProvider): Cause {
  const addition = additions.find((line) => line.cause === cause && line.list === list);
  return addition && addition.list !== null ? addition.becomes : cause;
}

export function isRemovable({ removals }: ListProvider, list: string, cause: Cause): boolean {
  return removals.some((removal) => removal.list === list && !removal.refuses?.includes(cause));
}

function keyOf({ list, address }: { list: string; address: string }): string {
  return `${list} ${address}`;
}
