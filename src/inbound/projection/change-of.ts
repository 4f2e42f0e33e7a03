import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import type { Action } from '../../ledger/suppression-change.entity.js';
import type { NewChange } from '../../suppressions/reservations/reservations.repository.js';
import { storable } from '../parsing/delivery-event.js';
import type { RecordState } from './address-state.js';
import type { NewEvent } from './new-event.js';

const MAX_NOTE_LENGTH = 1_000;

export function changeOf(
  action: Action,
  record: RecordState,
  event: NewEvent,
  email: EmailAddress,
): Omit<NewChange, 'expiresAt'> {
  const { id: suppressionId } = record;
  const { id: eventId, occurredAt } = event;
  const { cause, emailId } =
    action === 'cause_added' ? { cause: event.kind as Cause, emailId: event.emailId } : record;
  return { action, suppressionId, email, cause, emailId, occurredAt, eventId, note: noteOf(event) };
}

/** What the server said, or else why the event has its effect. */
function noteOf({ status, diagnostic, reason, effect }: NewEvent): string | null {
  const parts = diagnostic?.includes(status ?? '') ? [diagnostic] : [status, diagnostic];
  const text = parts.filter((part) => part !== null).join(' ') || reason;
  return storable(
    effect === 'watch' ? `Too many soft failures, the last one: ${text}` : text,
    MAX_NOTE_LENGTH,
  );
}
