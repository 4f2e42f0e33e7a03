import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { SoftLimit, Source } from '../sources/source.entity.js';
import type { SoftFailures } from './address-state.js';
import { groupBy } from './group-by.js';
import { liftTimesOf } from './lift-times.js';
import type { NewEvent } from './new-event.js';
import { windowStart } from './soft-failures.js';

interface FailureRow {
  email: EmailAddress;
  lastArrivalAt: Date | null;
  lastRemoval: string | null;
  mail: string | null;
  failedAt: Date | null;
}

/** SQL for whether a ledger line removed an address from the list, or its bounce. Failures from before it do not count. */
export function removesBounce(line: string): string {
  return `${line}.action IN ('removed', 'cause_removed') AND (${line}.action = 'removed' OR ${line}.cause = 'bounce')`;
}

/** IS TRUE keeps a plan that was made for an empty inbox from the indexes by source and by kind. */
const FIND_SOFT_FAILURES = new PreparedStatement<FailureRow>(
  'find-soft-failures',
  `WITH new_event AS MATERIALIZED (
    SELECT unnest($5::uuid[]) AS id
  )
  SELECT
    requested.email,
    arrived.at AS "lastArrivalAt",
    removed.revision AS "lastRemoval",
    failed.mail,
    failed.at AS "failedAt"
  FROM unnest($3::text[]) AS requested (email)
  CROSS JOIN LATERAL (
    SELECT max(coalesce(arrival.occurred_at, arrival.received_at)) AS at
    FROM delivery_events AS arrival
    WHERE arrival.account_id = $1
      AND arrival.recipient = requested.email
      AND arrival.effect = 'success'
      AND arrival.id NOT IN (SELECT id FROM new_event)
  ) AS arrived
  CROSS JOIN LATERAL (
    SELECT max(removal.revision) AS revision
    FROM suppression_changes AS removal
    WHERE removal.account_id = $1 AND removal.email = requested.email AND ${removesBounce('removal')}
  ) AS removed
  CROSS JOIN LATERAL (SELECT (${liftTimesOf('requested.email')})[1]) AS bounce (lifted_at)
  LEFT JOIN LATERAL (
    SELECT
      coalesce(failure.raw_message_id, failure.key) AS mail,
      max(coalesce(failure.occurred_at, failure.received_at)) AS at
    FROM delivery_events AS failure
    WHERE failure.account_id = $1
      AND failure.recipient = requested.email
      AND (failure.source_id = $2) IS TRUE
      AND failure.effect = 'watch'
      AND (failure.kind = 'bounce') IS TRUE
      AND coalesce(failure.occurred_at, failure.received_at) > $4
      AND (arrived.at IS NULL OR coalesce(failure.occurred_at, failure.received_at) > arrived.at)
      AND (removed.revision IS NULL OR failure.revision >= removed.revision)
      AND (bounce.lifted_at IS NULL OR coalesce(failure.occurred_at, failure.received_at) >= bounce.lifted_at)
      AND failure.id NOT IN (SELECT id FROM new_event)
    GROUP BY mail
    ORDER BY at DESC
    LIMIT $6
  ) AS failed ON true`,
);

@Injectable()
export class SoftFailuresRepository {
  /**
   * The mails of a source that failed before these events, by address: those that failed last, and no more of them than
   * the limit. The addresses must be locked exclusively, or a failure that another delivery is storing is missed.
   */
  async find(
    { accountId, id }: Source,
    { failures, days }: SoftLimit,
    addresses: Map<EmailAddress, NewEvent[]>,
    transaction: EntityManager,
  ): Promise<Map<EmailAddress, SoftFailures>> {
    const events = [...addresses.values()].flat();
    const rows = await FIND_SOFT_FAILURES.run(transaction, [
      accountId,
      id,
      [...addresses.keys()],
      new Date(windowStart(events[0]!.receivedAt, days)),
      events.map((event) => event.id),
      failures,
    ]);
    const byAddress = groupBy(rows, ({ email }) => email);
    return new Map([...byAddress].map(([email, found]) => [email, toSoftFailures(found)]));
  }
}

/** @param rows - of one address: one for each mail, or one without a mail */
function toSoftFailures(rows: FailureRow[]): SoftFailures {
  const { lastArrivalAt, lastRemoval } = rows[0]!;
  const failed = rows.flatMap(({ mail, failedAt }) =>
    mail !== null && failedAt ? [[mail, failedAt.getTime()] as const] : [],
  );
  return { lastArrivalAt: lastArrivalAt?.getTime() ?? -Infinity, mails: new Map(failed), lastRemoval };
}
