import type { EmailAddress } from '../../email-address/email-address.js';
import { canExpire, causesIn, maskOf, type Cause } from '../../ledger/cause.js';
import type { Consent } from '../../ledger/evidence.js';
import type { AdditionCapability, ListProvider } from '../providers/provider.js';

/** What is known about an address when its change is to be pushed. Times are in milliseconds since 1970. */
export interface PushState {
  email: EmailAddress;
  /** Its causes here, as a mask; 0 if it is not suppressed. */
  causes: number;
  since: Date | null;
  expiresAt: Date | null;
  /** Whether an incident holds its bounce. */
  isHeld: boolean;
  /** Whether incidents hold bounces in the account. */
  mayBeHeld: boolean;
  /** When somebody last lifted a bounce here. */
  bounceLiftedAt: Date | null;
  /** What the provider had when a plan was last applied, as far as it is a suppression. */
  entries: {
    list: string;
    address: string;
    cause: Cause;
    latestAt: number | null;
    /** Whether the plan read it while the present record was here. */
    isCurrent: boolean;
  }[];
  /** What was pushed, or is to be pushed. */
  pushes: {
    list: string;
    address: string;
    action: 'add' | 'remove';
    status: string;
    /** Whether this service put it there, and the provider has reported no complaint or unsubscribe since. */
    isOwn: boolean;
    /** Whether it belongs to the present record here. */
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

/** A change that must reach a provider. */
export interface Push {
  email: EmailAddress;
  list: string;
  address: string;
  action: 'add' | 'remove';
  cause: Cause;
  since: Date;
  consent: Consent | null;
  /** Whether it is sent only after an incident would have held it. */
  waits: boolean;
}

type Addition = AdditionCapability & { list: string };

/** The mask of an address with nothing but an unsubscribe. */
export const UNSUBSCRIBED = maskOf(['unsubscribe']);

/** Milliseconds between the ledger's time of a removal and the one that is derived from it. */
const SAME_TIME_MS = 1_000;

/**
 * What must reach the provider after changes of an address. It depends on the present state only, so that changes that were
 * missed, or are seen twice, end the same.
 *
 * @param liftedAt - when the last of these changes removed a bounce, or may have; null if it did not
 */
export function pushesFor(state: PushState, liftedAt: Date | null, rules: PushRules): Push[] {
  if (isToBeListed(state.causes, rules)) {
    return rules.pushAdditions ? additionsFor(state, rules) : [];
  }
  return rules.pushRemovals ? removalsFor(state, liftedAt, rules) : [];
}

/**
 * Whether an address is suppressed for anything but an unsubscribe that is not pushed, because it would stop transactional mail.
 */
export function isToBeListed(
  causes: number,
  { pushUnsubscribes }: Pick<PushRules, 'pushUnsubscribes'>,
): boolean {
  return causes !== 0 && (causes !== UNSUBSCRIBED || pushUnsubscribes);
}

/** The list on which the provider can keep one of these causes; an unsubscribe counts only if no other does. */
function additionOf(causes: number, { provider, pushUnsubscribes }: PushRules): Addition | null {
  const order = [
    'complaint',
    'bounce',
    'manual',
    ...(pushUnsubscribes ? (['unsubscribe'] as const) : []),
  ] as const;
  const lines = order
    .filter((cause) => causesIn(causes).includes(cause))
    .map((cause) => provider.additions.find((line) => line.cause === cause && line.list !== null));
  return (lines.find((line) => line) as Addition | undefined) ?? null;
}

function additionsFor(state: PushState, rules: PushRules): Push[] {
  const { email, causes, since, expiresAt, isHeld, mayBeHeld, entries, pushes } = state;
  const addition = additionOf(causes, rules);
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
 * What this service put there, and bounces that somebody lifted here after the provider listed them. While an unsubscribe is left
 * here, an unsubscribe that was pushed stays.
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
    .filter(({ list, cause }) => removable(provider, list, cause))
    .map((entry) => ({ ...entry, email, action: 'remove' as const, consent: null, waits: false }));
  const queued = pushes.filter(({ action, status }) => action === 'remove' && status !== 'done').map(keyOf);
  const byKey = new Map(removals.map((push) => [keyOf(push), push]));
  return [...byKey].flatMap(([key, push]) => (queued.includes(key) ? [] : [push]));
}

/** If no plan has read what the provider has, every list that may have the bounce is asked to remove it. */
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

/** The cause that the provider shows for an entry that was added. */
export function shownAs(cause: Cause, list: string, { additions }: ListProvider): Cause {
  const addition = additions.find((line) => line.cause === cause && line.list === list);
  return addition && addition.list !== null ? addition.becomes : cause;
}

export function removable({ removals }: ListProvider, list: string, cause: Cause): boolean {
  return removals.some((removal) => removal.list === list && !removal.refuses.includes(cause));
}

function keyOf({ list, address }: { list: string; address: string }): string {
  return `${list} ${address}`;
}
