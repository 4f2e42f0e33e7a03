import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import { NO_FAILURES, type AddressState } from './address-state.js';
import type { NewEvent } from './new-event.js';
import type { Source } from '../sources/source.entity.js';

interface StateRow {
  email: EmailAddress;
  reservation: string;
  cause: Cause;
  emailId: string | null;
  isEmpty: boolean;
  addedFor: Cause | null;
  isOwn: boolean | null;
  tellings: number;
  lastAgainst: Date | null;
  earlyRemoval: Date | null;
}

/** What is only asked of those that are to be lifted, or to be added, costs nothing for the others. */
const FIND_STATES = new PreparedStatement<StateRow>(
  'find-address-states',
  `WITH mine AS MATERIALIZED (
    SELECT email, array_agg(id) AS ids
    FROM unnest($3::uuid[], $7::text[] COLLATE "C") AS event (id, email)
    GROUP BY email
  ),
  placeholder AS MATERIALIZED (
    SELECT unnest($6::uuid[]) AS id
  ),
  held AS MATERIALIZED (
    SELECT suppressions.*, asked.is_lifted, mine.ids AS mine, suppressions.id IN (SELECT id FROM placeholder) AS is_empty
    FROM unnest($4::text[] COLLATE "C", $5::boolean[]) AS asked (email, is_lifted)
    JOIN mine ON mine.email = asked.email
    JOIN suppressions ON suppressions.account_id = $1 AND suppressions.email = asked.email
  )
  SELECT
    held.email,
    held.id AS reservation,
    held.cause,
    held.email_id AS "emailId",
    held.is_empty AS "isEmpty",
    origin.cause AS "addedFor",
    origin.is_own AS "isOwn",
    origin.tellings,
    against.moment AS "lastAgainst",
    early.moment AS "earlyRemoval"
  FROM held
  LEFT JOIN LATERAL (
    SELECT
      added.cause,
      NOT EXISTS (
        SELECT FROM suppression_changes AS foreign_change
        WHERE foreign_change.account_id = $1
          AND foreign_change.email = held.email
          AND foreign_change.suppression_id = held.id
          AND foreign_change.actor_id IS DISTINCT FROM $2
      ) AND NOT EXISTS (
        SELECT FROM delivery_events AS told
        WHERE told.account_id = $1
          AND told.recipient = held.email
          AND told.suppression_id = held.id
          AND told.effect IN ('suppress', 'suppress-if-absent')
          AND told.source_id <> $2
      ) AS is_own,
      (
        SELECT count(*)::integer
        FROM (
          SELECT FROM delivery_events AS told
          WHERE told.account_id = $1
            AND told.recipient = held.email
            AND told.suppression_id = held.id
            AND told.effect IN ('suppress', 'suppress-if-absent')
          LIMIT 2
        ) AS found
      ) AS tellings
    FROM suppression_changes AS added
    WHERE held.is_lifted
      AND NOT held.is_empty
      AND added.account_id = $1
      AND added.suppression_id = held.id
      AND added.action = 'added'
  ) AS origin ON true
  CROSS JOIN LATERAL (
    SELECT max(coalesce(told.occurred_at, told.received_at)) AS moment
    FROM delivery_events AS told
    WHERE held.is_lifted
      AND told.account_id = $1
      AND told.recipient = held.email
      AND told.source_id = $2
      AND told.effect IN ('suppress', 'suppress-if-absent')
      AND told.id <> ALL (held.mine)
  ) AS against
  CROSS JOIN LATERAL (
    SELECT max(removal.occurred_at) AS moment
    FROM delivery_events AS removal
    WHERE (held.is_empty OR held.is_lifted)
      AND removal.account_id = $1
      AND removal.recipient = held.email
      AND removal.source_id = $2
      AND removal.effect = 'lift'
      AND removal.kind = 'removed'
      AND removal.outcome = 'nothing'
      AND removal.suppression_id IS NULL
      AND removal.id <> ALL (held.mine)
  ) AS early`,
);

/** Finds what is known of addresses that a source tells of. */
@Injectable()
export class AddressStatesRepository {
  /**
   * As it was before a delivery.
   *
   * @param events - the new events of the delivery, by address; the addresses must be reserved
   * @param placeholders - of the addresses without a record
   */
  async find(
    { accountId, id: sourceId }: Source,
    events: Map<EmailAddress, NewEvent[]>,
    placeholders: Set<string>,
    transaction: EntityManager,
  ): Promise<AddressState[]> {
    const ofAddresses = [...events.values()];
    const rows = await FIND_STATES.run(transaction, [
      accountId,
      sourceId,
      ofAddresses.flat().map(({ id }) => id),
      [...events.keys()],
      ofAddresses.map((ofAddress) => ofAddress.some(({ effect }) => effect === 'lift')),
      [...placeholders],
      ofAddresses.flat().map(({ recipient }) => recipient),
    ]);
    return rows.map(toState);
  }
}

function toState(row: StateRow): AddressState {
  const { email, reservation, cause, emailId, isEmpty } = row;
  const { addedFor, isOwn, tellings } = row;
  const known = { addedFor: addedFor ?? cause, isOwn: isOwn ?? false, tellings };
  return {
    email,
    reservation,
    record: isEmpty ? null : { id: reservation, createdAt: null, cause, emailId, ...known },
    lastAgainst: milliseconds(row.lastAgainst),
    earlyRemoval: milliseconds(row.earlyRemoval),
    failures: NO_FAILURES,
  };
}

function milliseconds(moment: Date | null): number {
  return moment?.getTime() ?? -Infinity;
}
