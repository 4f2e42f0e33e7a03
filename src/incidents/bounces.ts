import { createHash } from 'node:crypto';
import { PreparedStatement } from '../database/prepared-statement.js';
import { domainOf, type EmailAddress } from '../email-address/email-address.js';
import { receivingGroup } from '../email-address/receiving-group.js';
import { fingerprint } from '../ledger/fingerprint.js';
import { WINDOW_MS } from './detect.js';
import type { Watch } from './watches.js';

/** The results of the mail to a domain in a five-minute interval. */
export interface Results {
  domain: string;
  /** The start of the five minutes. */
  at: Date;
  results: number;
}

interface BounceRow {
  id: string;
  email: EmailAddress;
  diagnostic: string | null;
  suppressionId: string | null;
  occurredAt: Date;
  /** When an earlier event reported a bounce of the address. */
  lastBounceAt: Date | null;
  /** When an email was last delivered to the address. */
  lastDeliveryAt: Date | null;
}

export interface Answer {
  group: string;
  /** The fingerprint of the answer; null if it is empty. */
  fingerprint: string | null;
  /** The hash of the fingerprint. */
  text: string | null;
}

export type Bounce = BounceRow & Answer;

export interface SuppressingBounce extends Pick<BounceRow, 'id' | 'email' | 'diagnostic'> {
  suppressionId: string;
  emailId: string | null;
}

const RECENT_MS = 30 * 86_400_000;
const EVENTS_AT_ONCE = 5_000;
const BOUNCES_AT_ONCE = 1_000;

/** SQL for when an event happened. If the source's clock is ahead, the time of the report counts. */
const AT = 'least(coalesce(occurred_at, received_at), received_at)';

const COUNT_RESULTS = new PreparedStatement<Partial<Results> & { lastId: string; isLast: boolean }>(
  'count-results-of-events',
  `WITH chunk AS MATERIALIZED (
    SELECT id, kind, effect, recipient, ${AT} AS at
    FROM delivery_events
    WHERE account_id = $1 AND id > $2 AND id < $3
    ORDER BY id
    LIMIT ${EVENTS_AT_ONCE}
  )
  SELECT last.id AS "lastId", (SELECT count(*) FROM chunk) < ${EVENTS_AT_ONCE} AS "isLast", result.*
  FROM (SELECT id FROM chunk ORDER BY id DESC LIMIT 1) AS last
  LEFT JOIN (
    SELECT split_part(recipient, '@', -1) AS domain, date_bin('5 minutes', at, 'epoch') AS at, count(*)::integer AS results
    FROM chunk
    WHERE kind IN ('bounce', 'delivered') AND effect <> 'suppress-if-absent' AND recipient IS NOT NULL AND at > $4
    GROUP BY 1, 2
  ) AS result ON true`,
);

/** SQL condition: the event reports a bounce. The first part is the condition of the index. */
const IS_BOUNCE = `effect IN ('suppress', 'suppress-if-absent') AND effect = 'suppress' AND kind = 'bounce'`;

/** For the earlier bounces of each address, reads only the last one of each source, however many there are. */
const READ_BOUNCES = new PreparedStatement<BounceRow>(
  'read-bounces-of-events',
  `WITH bounce AS MATERIALIZED (
    SELECT
      id,
      recipient AS email,
      diagnostic,
      suppression_id,
      ${AT} AS at,
      max(coalesce(occurred_at, received_at)) OVER (
        PARTITION BY recipient ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS last_at
    FROM delivery_events
    WHERE account_id = $1 AND kind = 'bounce' AND effect = 'suppress' AND id > $2 AND id <= $3 AND recipient IS NOT NULL
  ),
  earlier AS MATERIALIZED (
    SELECT address.email, max(report.at) AS at
    FROM (SELECT DISTINCT email FROM bounce) AS address
    CROSS JOIN (SELECT id FROM sources WHERE account_id = $1) AS source
    CROSS JOIN LATERAL (
      SELECT coalesce(occurred_at, received_at) AS at
      FROM delivery_events
      WHERE account_id = $1 AND recipient = address.email AND source_id = source.id AND ${IS_BOUNCE} AND id <= $2
      ORDER BY coalesce(occurred_at, received_at) DESC
      LIMIT 1
    ) AS report
    GROUP BY address.email
  )
  SELECT
    bounce.id,
    bounce.email,
    bounce.diagnostic,
    bounce.suppression_id AS "suppressionId",
    bounce.at AS "occurredAt",
    greatest(bounce.last_at, earlier.at) AS "lastBounceAt",
    arrival.at AS "lastDeliveryAt"
  FROM bounce
  LEFT JOIN earlier USING (email)
  LEFT JOIN LATERAL (
    SELECT coalesce(occurred_at, received_at) AS at
    FROM delivery_events
    WHERE account_id = $1
      AND recipient = bounce.email
      AND effect = 'success'
      AND coalesce(occurred_at, received_at) < bounce.at
    ORDER BY coalesce(occurred_at, received_at) DESC
    LIMIT 1
  ) AS arrival ON true
  WHERE bounce.at > $4
  ORDER BY bounce.id`,
);

const READ_SUPPRESSING = new PreparedStatement<SuppressingBounce>(
  'read-suppressing-bounces',
  `SELECT id, recipient AS email, diagnostic, suppression_id AS "suppressionId", email_id AS "emailId"
  FROM delivery_events
  WHERE account_id = $1
    AND kind = 'bounce'
    AND effect = 'suppress'
    AND outcome IN ('added', 'strengthened', 'cause_added')
    AND suppression_id IS NOT NULL
    AND id > $2
    AND id <= $3
    AND ${AT} > $4
  ORDER BY id
  LIMIT ${BOUNCES_AT_ONCE}`,
);

/**
 * Counts the results of some events before an id. All events through `lastId` are then counted. Returns null if there are none.
 */
export async function countResults(
  { accountId, lastEventId, transaction }: Watch,
  { before, since }: { before: string; since: Date },
): Promise<{ results: Results[]; lastId: string; isLast: boolean } | null> {
  const rows = await COUNT_RESULTS.run(transaction, [accountId, lastEventId, before, since]);
  const [first] = rows;
  const results = rows.filter((row): row is typeof row & Results => Boolean(row.domain));
  return first ? { results, lastId: first.lastId, isLast: first.isLast } : null;
}

/** Reads the permanent failures among these events, with what was known about their addresses. */
export async function readBounces(
  { accountId, lastEventId, transaction }: Watch,
  { through, since }: { through: string; since: Date },
): Promise<Bounce[]> {
  const rows = await READ_BOUNCES.run(transaction, [accountId, lastEventId, through, since]);
  return rows.map((bounce) => ({ ...bounce, ...answerOf(bounce) }));
}

/** Reads some bounces that suppressed their addresses, among all counted events. */
export async function readSuppressing(
  { accountId, lastEventId, transaction }: Watch,
  { after, since }: { after: string; since: Date },
): Promise<{ bounces: SuppressingBounce[]; isLast: boolean }> {
  const bounces = await READ_SUPPRESSING.run(transaction, [accountId, after, lastEventId, since]);
  return { bounces, isLast: bounces.length < BOUNCES_AT_ONCE };
}

/** Whether it is the first bounce of its address within {@link WINDOW_MS}. */
export function isFirstInWindow({ occurredAt, lastBounceAt }: Bounce): boolean {
  return !lastBounceAt || lastBounceAt.getTime() <= occurredAt.getTime() - WINDOW_MS;
}

export function isRecentlyDelivered({ occurredAt, lastDeliveryAt }: Bounce): boolean {
  return lastDeliveryAt !== null && lastDeliveryAt.getTime() > occurredAt.getTime() - RECENT_MS;
}

/** The receiving group and the fingerprint of an answer. */
export function answerOf({ diagnostic, email }: Pick<Bounce, 'diagnostic' | 'email'>): Answer {
  const text = diagnostic === null ? null : fingerprint(diagnostic, email) || null;
  const group = receivingGroup(domainOf(email));
  return { fingerprint: text, text: text === null ? null : hashOf(text), group };
}

/** The hash by which the database stores a fingerprint, which may be long: its MD5, in the form of a UUID. */
function hashOf(text: string): string {
  const hash = createHash('md5').update(text).digest('hex');
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
