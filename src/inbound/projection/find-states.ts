import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { RowSet } from '../../database/rows.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { causesIn, type Cause } from '../../ledger/cause.js';
import { isNotOfIncident, isNotRevert } from '../../ledger/evidence.js';
import type { Source } from '../sources/source.entity.js';
import { NO_FAILURES, liftTimesOf, toLiftTimes, type AddressState } from './address-state.js';
import type { NewEvent } from './event-outcome.js';

interface StateRow {
  email: EmailAddress;
  id: string;
  cause: Cause;
  weakerCauses: number;
  emailId: string | null;
  isPlaceholder: boolean;
  addedFor: Cause | null;
  isOwn: boolean | null;
  isImported: boolean;
  reports: number;
  isRemovedByPerson: boolean | null;
  liftedAt: (Date | null)[];
  lastReportAt: Date | null;
  earlyRemovalAt: Date | null;
  expiresAt: Date | null;
  bounceTerms: number[] | null;
  now: Date;
  hasRules: boolean;
}

const REQUESTED = new RowSet(4, { email: 'text', isLifted: 'boolean', newEventIds: 'text' });

/** SQL of the records and placeholders of the requested addresses. */
const RESERVED = `
  SELECT
    suppression.*,
    requested.is_lifted,
    requested.new_event_ids::uuid[] AS new_event_ids,
    suppression.id IN (SELECT id FROM placeholder) AS is_placeholder
  FROM ${REQUESTED.as('requested')}
  CROSS JOIN LATERAL (
    SELECT * FROM suppressions WHERE account_id = $1 AND email = requested.email LIMIT 1
  ) AS suppression`;

/**
 * SQL of the changes of a record, after its addition, that others than the source made. Of each index range, it reads the ends.
 */
const FOREIGN_CHANGES = `
  SELECT
  FROM unnest(enum_range(NULL::suppression_cause)) AS changed (cause)
  CROSS JOIN LATERAL (${endsOf(
    'actor_id',
    `suppression_changes
    WHERE account_id = $1 AND suppression_id = reserved.id AND cause = changed.cause AND action <> 'added'`,
  )}) AS change
  WHERE change.actor_id IS DISTINCT FROM $2`;

const FOREIGN_REPORTS = `
  SELECT
  FROM (${endsOf(
    'source_id',
    `delivery_events
    WHERE account_id = $1 AND suppression_id = reserved.id AND effect IN ('suppress', 'suppress-if-absent')`,
  )}) AS report
  WHERE report.source_id <> $2`;

function endsOf(column: string, rows: string): string {
  return `
    (SELECT ${column} FROM ${rows} ORDER BY ${column} LIMIT 1)
    UNION ALL
    (SELECT ${column} FROM ${rows} ORDER BY ${column} DESC LIMIT 1)`;
}

/** SQL of at most two events that reported something against a record. */
const FIRST_REPORTS = `
  SELECT
  FROM delivery_events AS report
  WHERE report.account_id = $1
    AND report.suppression_id = reserved.id
    AND report.effect IN ('suppress', 'suppress-if-absent')
  LIMIT 2`;

/** SQL of the addition of a record that an event may lift. */
const ORIGIN = `
  SELECT
    added.cause,
    added.actor_id IS NOT DISTINCT FROM $2 AND NOT EXISTS (${FOREIGN_CHANGES}) AND NOT EXISTS (${FOREIGN_REPORTS}) AS is_own,
    (SELECT count(*)::integer FROM (${FIRST_REPORTS}) AS first_reports) AS reports
  FROM suppression_changes AS added
  WHERE reserved.is_lifted
    AND NOT reserved.is_placeholder
    AND added.account_id = $1
    AND added.suppression_id = reserved.id
    AND added.action = 'added'
  LIMIT 1`;

/** SQL of the last removal of an address without a record, unless it reverted an import. */
const LAST_DECISION = `
  SELECT removal.actor_type <> 'source' AS is_by_person
  FROM suppression_changes AS removal
  WHERE reserved.is_placeholder
    AND removal.account_id = $1
    AND removal.email = reserved.email
    AND removal.action = 'removed'
    AND ${isNotRevert('removal')}
  ORDER BY removal.revision DESC
  LIMIT 1`;

/** SQL of the last earlier report of the source about an address that an event may lift. */
const LAST_REPORT = `
  SELECT coalesce(report.occurred_at, report.received_at) AS at
  FROM delivery_events AS report
  WHERE reserved.is_lifted
    AND report.account_id = $1
    AND report.recipient = reserved.email
    AND report.source_id = $2
    AND report.effect IN ('suppress', 'suppress-if-absent')
    AND report.id <> ALL (reserved.new_event_ids)
  ORDER BY coalesce(report.occurred_at, report.received_at) DESC
  LIMIT 1`;

/** SQL of the last earlier event by which the source removed an address from its own list, while this list had no record. */
const EARLY_REMOVAL = `
  SELECT removal.occurred_at AS at
  FROM delivery_events AS removal
  WHERE (reserved.is_placeholder OR reserved.is_lifted)
    AND removal.account_id = $1
    AND removal.recipient = reserved.email
    AND removal.source_id = $2
    AND removal.effect = 'lift'
    AND removal.kind = 'removed'
    AND removal.outcome = 'nothing'
    AND removal.suppression_id IS NULL
    AND removal.occurred_at IS NOT NULL
    AND removal.id <> ALL (reserved.new_event_ids)
  ORDER BY removal.occurred_at DESC
  LIMIT 1`;

/** How many of the last lines of an address are searched for earlier bounces, which is many more than there are terms. */
const LINES_WITH_BOUNCES = 1_000;

/**
 * SQL of the terms of the next bounces: the terms of the account, without one for each bounce that was added within two years.
 * A bounce that a lift by query ended was a mistake, and does not count.
 */
const BOUNCE_TERMS = `
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

/**
 * Reads only what the events of an address can depend on; some of it only for a lift, some only if there is no record. It reads
 * a few rows for each address, however long its history is, because each question has an index that begins with the answer.
 */
const FIND_STATES = new PreparedStatement<StateRow>(
  'find-address-states',
  `WITH placeholder AS MATERIALIZED (SELECT unnest($3::uuid[]) AS id),
  reserved AS MATERIALIZED (${RESERVED})
  SELECT
    reserved.email,
    reserved.id,
    reserved.cause,
    reserved.weaker_causes AS "weakerCauses",
    reserved.email_id AS "emailId",
    reserved.is_placeholder AS "isPlaceholder",
    reserved.import_id IS NOT NULL AS "isImported",
    reserved.expires_at AS "expiresAt",
    origin.cause AS "addedFor",
    origin.is_own AS "isOwn",
    origin.reports,
    last_decision.is_by_person AS "isRemovedByPerson",
    lifted.at AS "liftedAt",
    last_report.at AS "lastReportAt",
    early_removal.at AS "earlyRemovalAt",
    bounces.terms AS "bounceTerms",
    now(),
    EXISTS (SELECT FROM rules WHERE account_id = $1) AS "hasRules"
  FROM reserved
  LEFT JOIN LATERAL (${ORIGIN}) AS origin ON true
  LEFT JOIN LATERAL (${LAST_DECISION}) AS last_decision ON true
  CROSS JOIN LATERAL (${liftTimesOf('reserved.email')}) AS lifted (at)
  LEFT JOIN LATERAL (${LAST_REPORT}) AS last_report ON true
  LEFT JOIN LATERAL (${EARLY_REMOVAL}) AS early_removal ON true
  CROSS JOIN LATERAL (${BOUNCE_TERMS}) AS bounces`,
);

/**
 * The states of reserved addresses before the new events of a delivery.
 *
 * @param addresses - with their new events
 * @param placeholders - the ids that placeholders have, or would have if their addresses had no record
 */
export async function findStates(
  { accountId, id: sourceId }: Source,
  addresses: Map<EmailAddress, NewEvent[]>,
  placeholders: string[],
  transaction: EntityManager,
): Promise<AddressState[]> {
  const requested = [...addresses].map(([email, events]) => ({
    email,
    isLifted: events.some(({ effect }) => effect === 'lift'),
    newEventIds: `{${events.map(({ id }) => id).join()}}`,
  }));
  const parameters = [accountId, sourceId, placeholders, ...REQUESTED.values(requested)];
  return (await FIND_STATES.run(transaction, parameters)).map(toState);
}

function toState({ email, id, cause, emailId, expiresAt, isPlaceholder, ...row }: StateRow): AddressState {
  const { addedFor, isOwn, isImported, reports } = row;
  const weakerCauses = causesIn(row.weakerCauses);
  const origin = { addedFor: addedFor ?? cause, isOwn: isOwn ?? false, isImported, reports };
  return {
    email,
    placeholder: isPlaceholder ? id : null,
    record: isPlaceholder ? null : { id, cause, weakerCauses, emailId, expiresAt, ...origin },
    isRemovedByPerson: row.isRemovedByPerson ?? false,
    liftedAt: toLiftTimes(row.liftedAt),
    lastReportAt: row.lastReportAt?.getTime() ?? -Infinity,
    earlyRemovalAt: row.earlyRemovalAt?.getTime() ?? -Infinity,
    failures: NO_FAILURES,
    allowedBy: null,
    bounceTerms: row.bounceTerms ?? [],
    putAt: [],
    now: row.now,
    hasRules: row.hasRules,
  };
}
