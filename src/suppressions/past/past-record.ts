import type { EmailAddress } from '../../email-address/email-address.js';
import { canExpire, type Cause } from '../../ledger/cause.js';
import { RecordReplay } from '../../ledger/record-replay.js';
import type { Action } from '../../ledger/suppression-change.entity.js';
import type { RecordWithCauses } from '../knowledge.js';

export interface RecordLine {
  email: EmailAddress;
  action: Action;
  suppressionId: string;
  cause: Cause;
  emailId: string | null;
  /** See `SuppressionChange.expiresAt`; in milliseconds since 1970, infinite if never. */
  expiresAt: number;
}

/**
 * The record that an address had.
 *
 * @param lines - all lines about its records up to then, in the order of their revisions
 * @param at - the time of the check: a cause that had expired does not count, even if no line says so yet
 * @returns null if it had none
 */
export function recordAt(lines: RecordLine[], at: number): RecordWithCauses | null {
  const replay = new RecordReplay<RecordLine>();
  lines.forEach((line) => replay.apply(line));
  const hasExpired = (replay.lastExpirable?.expiresAt ?? Infinity) <= at;
  const causes = replay.causes.filter((cause) => !(hasExpired && canExpire(cause)));
  const [strongest] = causes;
  if (!strongest) {
    return null;
  }
  const { suppressionId: id, email, cause, emailId } = replay.lineOf(strongest);
  return { record: { id, email, cause, emailId }, causes };
}

export interface PastLine extends RecordLine {
  id: string;
  /** Milliseconds since 1970. */
  createdAt: number;
}
