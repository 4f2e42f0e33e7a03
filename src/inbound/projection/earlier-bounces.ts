import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { isNotOfIncident } from '../../ledger/evidence.js';
import type { SoftLimit, Source } from '../sources/source.entity.js';
import { windowStart, liftTimesOf, type SoftFailures } from './address-state.js';
import type { NewEvent } from './event-outcome.js';
import { groupBy } from '../../database/rows.js';

interface FailureRow {
  email: EmailAddress;
  lastArrivalAt: Date | null;
  mail: string | null;
  failedAt: Date | null;
}

/** SQL for whether a ledger line removed an address from the list, or its bounce. Failures from before it do not count. */
function removesBounce(line: string): string {
  return `(${line}.action = 'removed' OR ${line}.action = 'cause_removed' AND ${line}.cause = 'bounce')`;
}

/** How many repeated failures of the same mails are read in addition to the limit. */
const REPEATED_FAILURES = 1_000;

const FIND_SOFT_FAILURES = new PreparedStatement<FailureRow>(
  'find-soft-failures',
  `WITH new_event AS MATERIALIZED (
    SELECT unnest($5::uuid[]) AS id
  )
  SELECT
    requested.email,
    arrived.at AS "lastArrivalAt",
    failed.mail,
    failed.at AS "failedAt"
  FROM unnest($3::text[]) AS requested (email)
  LEFT JOIN LATERAL (
    SELECT coalesce(arrival.occurred_at, arrival.received_at) AS at
    FROM delivery_events AS arrival
    WHERE arrival.account_id = $1
      AND arrival.recipient = requested.email
      AND arrival.effect = 'success'
      AND arrival.id NOT IN (SELECT id FROM new_event)
    ORDER BY coalesce(arrival.occurred_at, arrival.received_at) DESC
    LIMIT 1
  ) AS arrived ON true
  LEFT JOIN LATERAL (
    SELECT removal.revision
    FROM suppression_changes AS removal
    WHERE removal.account_id = $1 AND removal.email = requested.email AND ${removesBounce('removal')}
    ORDER BY removal.revision DESC
    LIMIT 1
  ) AS removed ON true
  CROSS JOIN LATERAL (SELECT (${liftTimesOf('requested.email')})[1]) AS bounce (lifted_at)
  LEFT JOIN LATERAL (
    SELECT failure.mail, max(failure.at) AS at
    FROM (
      SELECT
        coalesce(raw_message_id, key) AS mail,
        coalesce(occurred_at, received_at) AS at,
        revision
      FROM delivery_events
      WHERE account_id = $1
        AND recipient = requested.email
        AND source_id = $2
        AND effect = 'watch'
        AND kind = 'bounce'
        AND coalesce(occurred_at, received_at) > greatest($4, arrived.at)
        AND id NOT IN (SELECT id FROM new_event)
      ORDER BY coalesce(occurred_at, received_at) DESC
      LIMIT $6 + ${REPEATED_FAILURES}
    ) AS failure
    WHERE (removed.revision IS NULL OR failure.revision >= removed.revision)
      AND (bounce.lifted_at IS NULL OR failure.at >= bounce.lifted_at)
    GROUP BY failure.mail
    ORDER BY at DESC
    LIMIT $6
  ) AS failed ON true`,
);

/**
 * The mails of a source that failed before these events, by address: the latest ones, up to the limit. The addresses must be
 * locked exclusively; otherwise, a failure that another delivery is storing would be missed.
 */
export async function findSoftFailures(
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

/** @param rows - the rows of one address: one for each mail, or one without a mail */
function toSoftFailures(rows: FailureRow[]): SoftFailures {
  const { lastArrivalAt } = rows[0]!;
  const failed = rows.flatMap(({ mail, failedAt }) =>
    mail !== null && failedAt ? [[mail, failedAt.getTime()] as const] : [],
  );
  return { lastArrivalAt: lastArrivalAt?.getTime() ?? -Infinity, mails: new Map(failed) };
}

/** How many of the last lines of an address are searched for earlier bounces, which is many more than there are terms. */
const LINES_WITH_BOUNCES = 1_000;

/**
 * SQL of the terms of the next bounces: the terms of the account, without one for each bounce that was added within two years.
 * A bounce that a lift by query ended was a mistake, and does not count.
 */
export const BOUNCE_TERMS = `
  SELECT (SELECT bounce_expiry FROM accounts WHERE id = $1)[1 + count(*) FILTER (
    WHERE line.action IN ('added', 'cause_added') AND line.lifted_by IS NULL AND line.at > now() - interval '2 years'
  ):] AS terms
  FROM (
    SELECT line.action, line.at, lag(line.evidence ->> 'lift') OVER (ORDER BY line.revision DESC) AS lifted_by
    FROM (
      SELECT line.revision, line.cause, line.action, line.evidence, coalesce(line.occurred_at, line.created_at) AS at
      FROM suppression_changes AS line
      WHERE (SELECT bounce_expiry FROM accounts WHERE id = $1) IS NOT NULL
        AND line.account_id = $1
        AND line.email = reserved.email
      ORDER BY line.revision DESC
      LIMIT ${LINES_WITH_BOUNCES}
    ) AS line
    WHERE line.cause = 'bounce' AND ${isNotOfIncident('line')}
  ) AS line`;
