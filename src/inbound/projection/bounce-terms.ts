import { canExpire, type Cause } from '../../ledger/cause.js';
import type { AddressState, RecordState } from './address-state.js';

const DAY_MS = 86_400_000;

/** When a cause that is added now expires, and the terms of later bounces. */
export function expiryOf(
  cause: Cause,
  { bounceTerms, now }: AddressState,
): { expiresAt: Date | null; bounceTerms: readonly number[] } {
  const [days, ...later] = bounceTerms;
  return cause === 'bounce' && days !== undefined
    ? { expiresAt: new Date(now.getTime() + days * DAY_MS), bounceTerms: later }
    : { expiresAt: null, bounceTerms };
}

/** When a record expires once another cause is added: a bounce and a manual entry expire together, at the later time. */
export function laterExpiry(record: RecordState, added: Cause, expiresAt: Date | null): Date | null {
  const expirable = [record.cause, ...record.weakerCauses].some(canExpire);
  if (!canExpire(added)) {
    return record.expiresAt;
  }
  if (!expirable) {
    return expiresAt;
  }
  return record.expiresAt && expiresAt && (record.expiresAt > expiresAt ? record.expiresAt : expiresAt);
}
