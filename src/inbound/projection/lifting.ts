import type { Cause } from '../../ledger/cause.js';
import type { DeliveryEventKind } from '../parsing/delivery-event.js';
import type { RecordState } from './address-state.js';

/** What an event that lifts may remove, by its kind. Nothing lifts a complaint. */
const LIFTS: Partial<Record<DeliveryEventKind, { causes: readonly Cause[]; maxReports: number }>> = {
  // The address was taken off the provider's own list of bounces and manual entries.
  removed: { causes: ['bounce', 'manual'], maxReports: Infinity },
  // The recipient subscribed again. A second report may be about another list or stream than this event.
  resubscribe: { causes: ['unsubscribe'], maxReports: 1 },
};

/**
 * Whether an event removes a record: only one of the source that alone added, changed and reported it, only for the causes
 * that the event is about, and only if the source reported nothing later.
 *
 * @param liftedAt - in milliseconds since 1970, as is `lastReportAt`
 */
export function mayLift(
  kind: DeliveryEventKind,
  { cause, weakerCauses, addedFor, isOwn, reports }: RecordState,
  liftedAt: number,
  lastReportAt: number,
): boolean {
  const lift = LIFTS[kind];
  return (
    lift !== undefined &&
    [cause, ...weakerCauses, addedFor].every((present) => lift.causes.includes(present)) &&
    reports <= lift.maxReports &&
    isOwn &&
    lastReportAt <= liftedAt
  );
}

/**
 * Whether a report about an address without a record is superseded: its source removed the address at the provider later,
 * but that event arrived first. A `resubscribe` supersedes nothing, since it may be about another list or stream.
 *
 * @param occurredAt - of the report; without it, the order is unknown
 * @param removedAt - in milliseconds since 1970
 */
export function isSuperseded(cause: Cause, occurredAt: Date | null, removedAt: number): boolean {
  return LIFTS.removed!.causes.includes(cause) && occurredAt !== null && occurredAt.getTime() < removedAt;
}
