import type { DataSource, EntityManager } from 'typeorm';
import { hasId } from '../database/has-id.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { isNotOfIncident } from '../ledger/evidence.js';
import { lastRevisionOfRecord } from '../ledger/ledger-sql.js';
import { LedgerScan, type LedgerRange, type ScannedLines } from '../ledger/suppression-changes.repository.js';
import { LIVE_CAUSES } from '../suppressions/suppression.entity.js';
import type { FoundLift } from './lifts.repository.js';

const LINES_AT_ONCE = 500;

/** A suppression that a lift looks for. */
export interface Candidate {
  /** The line that originally recorded the cause, before lifts and their reverts. */
  changeId: string;
  email: EmailAddress;
  /** The last revision of its record. */
  revision: string;
  diagnostic: string | null;
  hasFailedAgain: boolean;
  wasDelivered: boolean;
}

const RECORDS_CAUSE = `('added', 'strengthened', 'cause_added')`;
const PARAMETERS = 7;

/** SQL condition: a ledger line recorded the cause as the query says. The {@link PARAMETERS} begin at `first`. */
function meets(line: string, first: number): string {
  const [cause, from, before, domains, source, actor, diagnostic] = Array.from(
    { length: PARAMETERS },
    (_, index) => `$${first + index}`,
  );
  return `
    ${line}.action IN ${RECORDS_CAUSE}
    AND ${isNotOfIncident(line)}
    AND ${line}.cause = ${cause}
    AND (${from}::timestamptz IS NULL OR ${line}.created_at >= ${from})
    AND ${line}.created_at < ${before}::timestamptz
    AND (${domains}::text[] IS NULL OR split_part(${line}.email, '@', -1) = ANY (${domains}))
    AND (${source}::uuid IS NULL OR ${line}.actor_type = 'source' AND ${line}.actor_id = ${source})
    AND (${actor}::uuid IS NULL OR ${line}.actor_id = ${actor})
    AND (${diagnostic}::text IS NULL OR position(lower(${diagnostic}) IN lower(coalesce(
      (SELECT diagnostic FROM delivery_events WHERE account_id = $1 AND ${hasId(`${line}.event_id`)}),
      ${line}.note,
      ''
    ))) > 0)`;
}

type Conditions = Pick<FoundLift, 'query' | 'createdAt'>;

/** The parameters of a query. Lines that are later than the lift are not part of it. */
function parametersOf({ query, createdAt }: Conditions): unknown[] {
  const { cause, domains, source, actor, diagnostic, createdFrom, createdBefore = Infinity } = query;
  return [
    cause,
    createdFrom === undefined ? null : new Date(createdFrom),
    new Date(Math.min(createdBefore, createdAt.getTime())),
    domains ?? null,
    source ?? null,
    actor ?? null,
    diagnostic ?? null,
  ];
}

const SCAN = new LedgerScan<{ id: string }>('scan-for-lift', 'line.id', meets('line', 4), LINES_AT_ONCE);

/**
 * SQL condition: a query has a row. A scalar subquery uses an index for each line, whereas PostgreSQL could turn EXISTS into a
 * join that reads all rows of the account.
 */
function exists(query: string): string {
  return `((${query} LIMIT 1) IS TRUE)`;
}

/** SQL of the last revision before a line at which the record did not have its cause. */
const LAST_END = `
  SELECT ended.revision
  FROM suppression_changes AS ended
  WHERE ended.account_id = $1
    AND ended.email = line.email
    AND ended.suppression_id = line.suppression_id
    AND (ended.action = 'removed' OR ended.action IN ('cause_removed', 'expired') AND ended.cause = line.cause)
    AND ended.revision < line.revision
  ORDER BY ended.revision DESC
  LIMIT 1`;

/** SQL of the original line whose cause this line restored in a revert. */
const ORIGIN = `
  SELECT origin.id
  FROM lift_lines AS lifted
  CROSS JOIN LATERAL (
    SELECT id, suppression_id FROM suppression_changes WHERE account_id = $1 AND ${hasId('lifted.change_id')}
  ) AS origin
  WHERE lifted.account_id = $1
    AND lifted.email = line.email
    AND lifted.lift_id = (line.evidence ->> 'reverted_lift')::uuid
    AND origin.suppression_id = line.suppression_id
  LIMIT 1`;

/** SQL of the time at which the cause was recorded. */
const AT = 'coalesce(line.occurred_at, line.created_at)';

/**
 * Omits a line that is not the last one about its cause, unless a lift ended the cause and its revert restored it. Omits a
 * cause that the record already had and that the line only extended, because the record stays suppressed for the earlier
 * reason. Lines of incidents only change when a bounce expires, and do not matter.
 */
const EXAMINE = new PreparedStatement<Candidate>(
  'examine-candidates-for-lift',
  `SELECT
    coalesce((${ORIGIN}), line.id) AS "changeId",
    line.email,
    ${lastRevisionOfRecord('line.email')} AS revision,
    coalesce(event.diagnostic, line.note) AS diagnostic,
    ${exists(`
      SELECT true
      FROM delivery_events AS report
      WHERE report.account_id = $1
        AND report.recipient = line.email
        AND report.effect = 'suppress'
        AND report.kind = 'bounce'
        AND report.id IS DISTINCT FROM line.event_id
        AND coalesce(report.occurred_at, report.received_at) > ${AT}`)} AS "hasFailedAgain",
    ${exists(`
      SELECT true
      FROM delivery_events AS arrival
      WHERE arrival.account_id = $1
        AND arrival.recipient = line.email
        AND arrival.effect = 'success'
        AND coalesce(arrival.occurred_at, arrival.received_at) >= ${AT} - interval '30 days'
        AND coalesce(arrival.occurred_at, arrival.received_at) < ${AT}`)} AS "wasDelivered"
  FROM unnest($2::uuid[]) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT * FROM suppression_changes WHERE account_id = $1 AND ${hasId('wanted.id')}
  ) AS line
  CROSS JOIN LATERAL (
    SELECT id, ${LIVE_CAUSES} AS causes FROM suppressions WHERE account_id = $1 AND email = line.email LIMIT 1
  ) AS record
  CROSS JOIN LATERAL (
    SELECT id, (evidence ->> 'reverted_lift')::uuid AS reverted_lift
    FROM suppression_changes
    WHERE account_id = $1
      AND email = line.email
      AND suppression_id = record.id
      AND cause = line.cause
      AND ${isNotOfIncident('suppression_changes')}
    ORDER BY revision DESC
    LIMIT 1
  ) AS newest
  LEFT JOIN LATERAL (
    SELECT diagnostic FROM delivery_events WHERE account_id = $1 AND ${hasId('line.event_id')}
  ) AS event ON true
  WHERE record.id = line.suppression_id
    AND record.causes & cause_bit(line.cause) <> 0
    AND (newest.id = line.id OR ${exists(`
      SELECT true
      FROM lift_lines
      WHERE account_id = $1 AND email = line.email AND lift_id = newest.reverted_lift AND change_id = line.id`)})
    AND NOT ${exists(`
      SELECT true
      FROM suppression_changes AS earlier
      WHERE earlier.account_id = $1
        AND earlier.email = line.email
        AND earlier.suppression_id = record.id
        AND earlier.cause = line.cause
        AND earlier.action IN ${RECORDS_CAUSE}
        AND ${isNotOfIncident('earlier')}
        AND earlier.revision < line.revision
        AND earlier.revision > coalesce((${LAST_END}), 0)
        AND NOT (${meets('earlier', 3)})
      ORDER BY earlier.revision`)}
  ORDER BY line.id`,
);

/** The next ledger lines that recorded the cause as a lift's query says. Null if the range has no more lines. */
export function scanForLift(
  dataSource: DataSource,
  accountId: number,
  lift: Conditions,
  range: LedgerRange,
): Promise<ScannedLines<{ id: string }> | null> {
  return SCAN.next(dataSource, accountId, range, parametersOf(lift));
}

/** The records that still have the cause that these lines recorded. */
export function examineCandidates(
  accountId: number,
  lift: Conditions,
  changeIds: string[],
  transaction: EntityManager,
): Promise<Candidate[]> {
  return EXAMINE.run(transaction, [accountId, changeIds, ...parametersOf(lift)]);
}
