import type { EmailAddress } from '../email-address/email-address.js';
import type {
  FinalRecord,
  NewChange,
  ReservedRecord,
} from '../suppressions/additions/reservations.repository.js';
import { causesOf, withCause } from '../suppressions/additions/reserved-record.js';
import type { LiftedCause, LineReason } from './lift.js';

/** A line that was applied, with the change that had recorded its cause. */
export interface AppliedLine {
  number: number;
  email: EmailAddress;
  cause: LiftedCause;
  suppressionId: string;
  emailId: string | null;
  eventId: string | null;
  note: string | null;
  expiresAt: Date | null;
  /** When the cause happened, or else when it was recorded. */
  occurredAt: Date;
  /** Whether an erasure has replaced the address in the ledger, and has not kept its block. */
  isErased: boolean;
}

/** A reserved address. */
export interface AddressNow {
  email: EmailAddress;
  /** The record of the address, or its placeholder. */
  record: ReservedRecord;
  /** Whether somebody has lifted the cause, or removed the record, after the lift. A lift of the other cause does not count. */
  isWithdrawn: boolean;
}

/** The result of a revert for an address: a change, or the reason why the address stays unchanged. */
type Restoration = { record: FinalRecord; change: NewChange } | { reason: LineReason };

/**
 * Puts a cause back.
 *
 * @param isPlaceholder - whether the address has no record
 */
export function restore(
  line: AppliedLine,
  { record, isWithdrawn }: AddressNow,
  isPlaceholder: boolean,
  now: Date,
): Restoration {
  if (line.isErased) {
    return { reason: 'erased' };
  }
  if (!isPlaceholder && causesOf(record).includes(line.cause)) {
    return { reason: 'listed' };
  }
  if (isWithdrawn) {
    return { reason: 'removed' };
  }
  if (line.expiresAt && line.expiresAt <= now) {
    return { reason: 'expired' };
  }
  return isPlaceholder ? addAgain(line, record.id) : addTo(record, line);
}

/** Restores a record with its id, and therefore with its time of creation. */
function addAgain(line: AppliedLine, reservation: string): Restoration {
  const { email, suppressionId: id, cause, emailId, expiresAt } = line;
  return {
    record: { email, reservation, record: { id, cause, weakerCauses: [], emailId, expiresAt } },
    change: changeOf(line, 'added', id, expiresAt),
  };
}

function addTo(before: ReservedRecord, line: AppliedLine): Restoration {
  const { action, record } = withCause(before, line);
  return {
    record: { email: line.email, reservation: before.id, record },
    change: changeOf(line, action, before.id, record.expiresAt),
  };
}

function changeOf(
  { email, cause, emailId, occurredAt, eventId, note }: AppliedLine,
  action: NewChange['action'],
  suppressionId: string,
  expiresAt: Date | null,
): NewChange {
  return { action, suppressionId, email, cause, emailId, occurredAt, eventId, note, expiresAt };
}
