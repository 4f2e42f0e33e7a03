import { CAUSES, type Cause } from '../../ledger/cause.js';
import { NO_SOURCE } from '../../ledger/suppression-change.entity.js';

const SECOND_MS = 1000;

/** When each cause of an address was last lifted, in milliseconds since 1970; -Infinity if never. */
export type LiftTimes = Readonly<Record<Cause, number>>;

/**
 * SQL of the times at which the causes of an address were last lifted, in the order of {@link CAUSES}. What another source
 * lifted does not count, since it knew of its own list only, nor does a `resubscribe`, which may be about another list or
 * stream. The parameters of the statement begin with the account and the source.
 */
export function liftTimesOf(email: string): string {
  const times = CAUSES.map(
    (cause) => `date_trunc('second', max(lift.withdrawn_at) FILTER (WHERE lift.subject = '${cause}'))`,
  );
  return `
    SELECT ARRAY[${times.join(', ')}]
    FROM withdrawals AS lift
    WHERE lift.account_id = $1
      AND lift.email = ${email}
      AND lift.source_id IN ('${NO_SOURCE}', $2)`;
}

/** @param times - as {@link liftTimesOf} returns them */
export function toLiftTimes(times: (Date | null)[]): LiftTimes {
  const entries = CAUSES.map((cause, index) => [cause, times[index]?.getTime() ?? -Infinity]);
  return Object.fromEntries(entries) as LiftTimes;
}

/** The times after the provider removed the address from its own list of bounces and manual entries. */
export function withProviderRemoval(times: LiftTimes, removedAt: number): LiftTimes {
  const second = Math.floor(removedAt / SECOND_MS) * SECOND_MS;
  return {
    ...times,
    bounce: Math.max(times.bounce, second),
    manual: Math.max(times.manual, second),
  };
}

/**
 * Whether an event happened before its cause was lifted, so that it does not suppress again. An event without a time happens
 * when it arrives. Times are compared to the second, because some providers report no fractions.
 */
export function isBeforeLift(cause: Cause, occurredAt: Date | null, times: LiftTimes): boolean {
  return occurredAt !== null && occurredAt.getTime() < times[cause];
}
