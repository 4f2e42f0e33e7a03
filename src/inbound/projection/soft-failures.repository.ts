import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { SoftFailures } from './address-state.js';
import type { NewEvent } from './new-event.js';
import type { SoftLimit, Source } from '../sources/source.entity.js';

const DAY_MS = 86_400_000;

interface FailureRow {
  recipient: EmailAddress;
  arrivedAt: Date | null;
  mail: string | null;
  failedAt: Date | null;
}

/** A mail that is deferred ten times failed once. What was removed from the list begins anew. */
const FIND_SOFT_FAILURES = new PreparedStatement<FailureRow>(
  'find-soft-failures',
  `WITH mine AS MATERIALIZED (
    SELECT unnest($5::uuid[]) AS id
  )
  SELECT asked.recipient, arrived.moment AS "arrivedAt", failed.mail, failed.moment AS "failedAt"
  FROM unnest($3::text[]) AS asked (recipient)
  CROSS JOIN LATERAL (
    SELECT max(coalesce(arrival.occurred_at, arrival.received_at)) AS moment
    FROM delivery_events AS arrival
    WHERE arrival.account_id = $1
      AND arrival.recipient = asked.recipient
      AND arrival.effect = 'success'
      AND arrival.id NOT IN (SELECT id FROM mine)
  ) AS arrived
  CROSS JOIN LATERAL (
    SELECT max(removal.revision) AS revision
    FROM suppression_changes AS removal
    WHERE removal.account_id = $1 AND removal.email = asked.recipient AND removal.action = 'removed'
  ) AS removed
  LEFT JOIN LATERAL (
    SELECT
      coalesce(failure.raw_message_id, failure.key) AS mail,
      max(coalesce(failure.occurred_at, failure.received_at)) AS moment
    FROM delivery_events AS failure
    WHERE failure.account_id = $1
      AND failure.recipient = asked.recipient
      AND failure.source_id = $2
      AND failure.effect = 'watch'
      AND failure.kind = 'bounce'
      AND coalesce(failure.occurred_at, failure.received_at) > $4
      AND (arrived.moment IS NULL OR coalesce(failure.occurred_at, failure.received_at) > arrived.moment)
      AND (removed.revision IS NULL OR failure.revision >= removed.revision)
      AND failure.id NOT IN (SELECT id FROM mine)
    GROUP BY mail
    ORDER BY moment DESC
    LIMIT $6
  ) AS failed ON true`,
);

/** Finds the failures that may pass. */
@Injectable()
export class SoftFailuresRepository {
  /**
   * Which mails of this source to these addresses failed, with none delivered by any source since, before these events.
   * Of an address never more mails than suffice to suppress it. Asked for an address that another transaction is
   * counting, too, it may miss a failure: lock it first.
   */
  async find(
    { accountId, id }: Source,
    { failures, days }: SoftLimit,
    events: Map<EmailAddress, NewEvent[]>,
    transaction: EntityManager,
  ): Promise<Map<EmailAddress, SoftFailures>> {
    const ofAddresses = [...events.values()].flat();
    const rows = await FIND_SOFT_FAILURES.run(transaction, [
      accountId,
      id,
      [...events.keys()],
      new Date(windowBegin(ofAddresses[0]!, days)),
      ofAddresses.map((event) => event.id),
      failures,
    ]);
    const found = new Map<EmailAddress, SoftFailures>();
    for (const { recipient, arrivedAt, mail, failedAt } of rows) {
      const lastArrival = arrivedAt?.getTime() ?? -Infinity;
      const known = found.get(recipient) ?? { lastArrival, mails: new Map() };
      found.set(recipient, known);
      if (mail !== null && failedAt) {
        known.mails.set(mail, failedAt.getTime());
      }
    }
    return found;
  }
}

/** What failed earlier is not counted any more; in milliseconds since 1970. */
export function windowBegin({ receivedAt }: NewEvent, days: number): number {
  return receivedAt.getTime() - days * DAY_MS;
}
