import type { EmailAddress } from '../email-address/email-address.js';
import { causesIn, maskOf, type Cause } from '../ledger/cause.js';
import type { Action } from '../ledger/suppression-change.entity.js';
import type { RecordWithCauses } from './check-lookup.js';
import { createdAtOf } from './suppression-id.js';

/** A line of the ledger about a record. */
export interface RecordLine {
  email: EmailAddress;
  action: Action;
  suppressionId: string;
  cause: Cause;
  emailId: string | null;
}

/**
 * The record that an address had after some lines of the ledger.
 *
 * @param lines - all lines about its records up to then, in the order of their revisions
 * @returns null if it had none
 */
export function recordAfter(lines: RecordLine[]): RecordWithCauses | null {
  const emailIds = new Map<Cause, string | null>();
  for (const { action, cause, emailId } of lines) {
    switch (action) {
      case 'added':
        emailIds.clear();
        emailIds.set(cause, emailId);
        break;
      case 'strengthened':
      case 'cause_added':
        emailIds.set(cause, emailId);
        break;
      case 'removed':
        emailIds.clear();
        break;
      default:
        emailIds.delete(cause);
    }
  }
  const causes = causesIn(maskOf([...emailIds.keys()]));
  const [strongest] = causes;
  const last = lines.at(-1);
  if (!strongest || !last) {
    return null;
  }
  const { suppressionId: id, email } = last;
  const createdAt = createdAtOf(id);
  return { record: { id, email, cause: strongest, emailId: emailIds.get(strongest)!, createdAt }, causes };
}
