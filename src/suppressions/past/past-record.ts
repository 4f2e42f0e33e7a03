import type { EmailAddress } from '../../email-address/email-address.js';
import { causesIn, maskOf, NEVER_EXPIRES, type Cause } from '../../ledger/cause.js';
import type { Action } from '../../ledger/suppression-change.entity.js';
import type { RecordWithCauses } from '../knowledge.js';

/** A line of the ledger about a record. */
export interface RecordLine {
  email: EmailAddress;
  action: Action;
  suppressionId: string;
  cause: Cause;
  emailId: string | null;
  /** When the cause that was added ends, in milliseconds since 1970; infinite if never. */
  expiresAt: number;
}

/**
 * The record that an address had.
 *
 * @param lines - all lines about its records up to then, in the order of their revisions
 * @param at - the time that is asked about: a cause that had expired does not count, even if no line says so yet
 * @returns null if it had none
 */
export function recordAt(lines: RecordLine[], at: number): RecordWithCauses | null {
  let added = new Map<Cause, RecordLine>();
  let expiresAt = Infinity;
  for (const line of lines) {
    const before = lastOf(added, canExpire);
    switch (line.action) {
      case 'added':
        added = new Map([[line.cause, line]]);
        ({ expiresAt } = line);
        break;
      case 'strengthened':
      case 'cause_added':
        added.set(line.cause, line);
        if (canExpire(line.cause)) {
          expiresAt = before ? Math.max(expiresAt, line.expiresAt) : line.expiresAt;
        }
        break;
      case 'removed':
        added.clear();
        break;
      default:
        added.delete(line.cause);
        if (!lastOf(added, canExpire)) {
          expiresAt = Infinity;
        }
    }
  }
  const hasExpired = expiresAt <= at;
  return toRecord(added, (cause) => !(hasExpired && canExpire(cause)));
}

function canExpire(cause: Cause): boolean {
  return !NEVER_EXPIRES.includes(cause);
}

/** The line that added the strongest of some causes. */
function lastOf(added: Map<Cause, RecordLine>, isMeant: (cause: Cause) => boolean): RecordLine | undefined {
  const [strongest] = causesIn(maskOf([...added.keys()].filter(isMeant)));
  return strongest && added.get(strongest);
}

function toRecord(added: Map<Cause, RecordLine>, holds: (cause: Cause) => boolean): RecordWithCauses | null {
  const strongest = lastOf(added, holds);
  if (!strongest) {
    return null;
  }
  const { suppressionId: id, email, cause, emailId } = strongest;
  const causes = causesIn(maskOf([...added.keys()].filter(holds)));
  return { record: { id, email, cause, emailId }, causes };
}

export interface PastLine extends RecordLine {
  id: string;
  /** Milliseconds since 1970. */
  createdAt: number;
}
