import { canExpire, isStronger, type Cause } from '../../ledger/cause.js';
import type { ReservedRecord } from './reservations.repository.js';

/** All causes of a record, the strongest first. */
export function causesOf({ cause, weakerCauses }: ReservedRecord): readonly Cause[] {
  return [cause, ...weakerCauses];
}

/** Adds a cause that a record lacks. A bounce and a manual entry expire together, at the later time. */
export function withCause<Kept extends ReservedRecord>(
  before: Kept,
  { cause, emailId, expiresAt: end }: Pick<ReservedRecord, 'cause' | 'emailId' | 'expiresAt'>,
): { action: 'strengthened' | 'cause_added'; record: Kept } {
  const causes = causesOf(before);
  const last = causes.some(canExpire) ? later(before.expiresAt, end) : end;
  const expiresAt = canExpire(cause) ? last : before.expiresAt;
  return isStronger(cause, before.cause)
    ? { action: 'strengthened', record: { ...before, cause, weakerCauses: causes, emailId, expiresAt } }
    : {
        action: 'cause_added',
        record: { ...before, weakerCauses: [...before.weakerCauses, cause], expiresAt },
      };
}

/** Null means never. */
function later(one: Date | null, other: Date | null): Date | null {
  return one && other && (one > other ? one : other);
}
