import type { EmailAddress } from '../../email-address/email-address.js';
import { canExpire, causesIn, type Cause } from '../../ledger/cause.js';
import type { Consent } from '../../ledger/evidence.js';
import type { AdditionCapability, ListProvider } from '../providers/provider.js';

/** What is known about an address when its change is to be pushed. Times are in milliseconds since 1970. */
export interface PushState {
  email: EmailAddress;
  /** Its causes here, as a mask; 0 if it is not suppressed. */
  causes: number;
  since: Date | null;
  expiresAt: Date | null;
  /** When somebody last lifted a bounce here. */
  bounceLiftedAt: Date | null;
  /** What the provider had when a plan was last applied. */
  entries: { list: string; address: string; cause: Cause | null; latestAt: number | null }[];
  /** What was pushed, or is to be pushed. */
  pushes: {
    list: string;
    address: string;
    action: 'add' | 'remove';
    status: string;
    isThere: boolean;
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
}

type Addition = AdditionCapability & { list: string };

/** Milliseconds between the ledger's time of a removal and the one that is derived from it. */
const SAME_TIME_MS = 1_000;

/**
 * What must reach the provider after changes of an address. It depends on the present state only, so that changes that were missed,
 * or are seen twice, end the same.
 *
 * @param liftedAt - when the last of these changes removed a record with nothing but a bounce; null if it did not
 */
export function pushesFor(state: PushState, liftedAt: Date | null, rules: PushRules): Push[] {
  if (state.causes !== 0) {
    return rules.pushAdditions ? additionsFor(state, rules) : [];
  }
  return rules.pushRemovals ? removalsFor(state, liftedAt, rules) : [];
}

/** The list on which the provider can keep one of these causes; an unsubscribe counts only if no other does. */
export function additionOf(causes: number, { provider, pushUnsubscribes }: PushRules): Addition | null {
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
  const { email, causes, since, expiresAt, entries, pushes } = state;
  const addition = additionOf(causes, rules);
  const isKnown = pushes.some(({ action }) => action === 'add');
  if (!addition || isKnown || entries.length > 0) {
    return [];
  }
  const { list, cause } = addition;
  if (expiresAt !== null && canExpire(cause) && !rules.pushRemovals) {
    return [];
  }
  return [{ email, list, address: email, action: 'add', cause, since: since!, consent: null }];
}

/** What this service put there, and bounces that somebody lifted here after the provider listed them. */
function removalsFor(state: PushState, liftedAt: Date | null, { provider }: PushRules): Push[] {
  if (!provider.find) {
    return [];
  }
  const { email, pushes } = state;
  const since = liftedAt ?? new Date();
  const stale = pushes
    .filter(({ action, isThere }) => action === 'add' && isThere)
    .map(({ list, address, cause }) => ({ list, address, cause: shownAs(cause, list, provider), since }));
  const removals = [...liftedBounces(state, liftedAt, provider), ...stale]
    .filter(({ list, cause }) => removable(provider, list, cause))
    .map((entry) => ({ ...entry, email, action: 'remove' as const, consent: null }));
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
