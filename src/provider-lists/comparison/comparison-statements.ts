import { PreparedStatement } from '../../database/prepared-statement.js';
import { LASTING_CAUSES } from '../../ledger/cause.js';
import { lastRevision } from '../../ledger/ledger-sql.js';
import { NO_SOURCE } from '../../ledger/suppression-change.entity.js';
import { liftedBounce } from '../lifted-bounce.js';
import { RECORD_CAUSES } from '../../suppressions/suppression.entity.js';
import { UNSUBSCRIBED } from '../push/push-decisions.js';
import { LAST_END, REPORTED_SINCE } from '../push/push-conditions.js';
import {
  AFTER,
  INSERT_LINES,
  LISTED,
  RESULT,
  SETTLING,
  SUPPRESSED,
  type Compared,
} from './comparison-batch.js';

/**
 * Finds whether the cause was withdrawn here after the date of the entry. An entry without a date may be older than any
 * withdrawal.
 */
const WITHDRAWN = `
  SELECT bool_or(source_id = '${NO_SOURCE}') AS by_somebody
  FROM withdrawals
  WHERE account_id = $1
    AND email = batch.email
    AND subject = batch.cause::text
    AND withdrawn_at > coalesce(batch.latest_at, '-infinity')
  HAVING count(*) > 0`;

/** Finds whether the cause expired here after the date of the entry, even if the ledger does not say so yet. */
const EXPIRED = `
  SELECT true AS has_expired
  FROM (
    SELECT created_at AS expired_at
    FROM suppression_changes
    WHERE account_id = $1 AND email = batch.email AND action = 'expired' AND cause = batch.cause
    UNION ALL
    SELECT expires_at
    FROM suppressions
    WHERE account_id = $1
      AND email = batch.email
      AND expires_at <= now()
      AND (${RECORD_CAUSES}) & ~${LASTING_CAUSES} & cause_bit(batch.cause) <> 0
  ) AS expiry
  WHERE expired_at > coalesce(batch.latest_at, '-infinity')
  LIMIT 1`;

/** An addition may have succeeded although its response was lost. */
const PUT_AT = `CASE WHEN push.action = 'add' THEN coalesce(push.put_at, push.attempted_at) ELSE push.put_at END`;

/**
 * Finds whether this service added the entry and had not removed it when the list was read. The cause and the date of the entry
 * must match the addition. Parameters 6 and 7: the provider list, and the cause that each list shows for each added cause.
 */
const OURS = `
  SELECT true AS is_ours, push.action = 'add' AND push.cause = 'unsubscribe' AS is_our_unsubscribe
  FROM provider_list_pushes AS push
  WHERE push.account_id = $1
    AND push.provider_list_id = $6
    AND push.email = batch.email
    AND push.list = batch.list
    AND batch.listed_at BETWEEN ${PUT_AT} - ${SETTLING} AND ${PUT_AT} + ${SETTLING}
    AND (
      push.action = 'add'
      OR push.status <> 'done'
      OR push.next_attempt_at > (
        SELECT created_at - ${SETTLING} FROM provider_list_plans WHERE account_id = $1 AND id = $2
      )
    )
    AND concat_ws(' ', push.list, push.cause, batch.cause) = ANY ($7::text[])
    AND NOT ${REPORTED_SINCE}
  LIMIT 1`;

const IS_REMOVABLE = `concat_ws(' ', list, cause) = ANY ($8::text[])`;

/**
 * Whether the entry is removed although the address has an unsubscribe here. This is true if the list does not push
 * unsubscribes, and the entry is a bounce that somebody lifted or was added for another cause. Parameter 10: whether
 * unsubscribes are pushed.
 */
const IS_STALE = `(
  causes = ${UNSUBSCRIBED} AND NOT $10::boolean
    AND (is_our_unsubscribe IS FALSE OR by_somebody IS TRUE AND is_lifted_bounce IS TRUE)
    AND ${IS_REMOVABLE} AND $9::boolean AND listed_at IS NOT NULL
)`;

/**
 * Compares the provider's entries. Parameter 8: the lists and causes whose entries can be removed; 9: whether they can be
 * removed without a person's confirmation.
 */
export const COMPARE_THERE = new PreparedStatement<Compared>(
  'compare-provider-list-there',
  `WITH batch AS (
    SELECT email, list, address, cause, listed_at, latest_at, problem
    FROM provider_list_entries
    WHERE account_id = $1 AND plan_id = $2 AND NOT is_gone AND ${AFTER}
  ),
  known AS (
    SELECT
      batch.*,
      coalesce(record.causes, 0) AS causes,
      withdrawn.by_somebody,
      expired.has_expired,
      ours.is_ours,
      ours.is_our_unsubscribe,
      batch.cause = 'bounce' AND bounce.lifted_at > coalesce(batch.latest_at, '-infinity') AS is_lifted_bounce,
      ${lastRevision('batch.email')} AS revision
    FROM batch
    LEFT JOIN LATERAL (${SUPPRESSED}) AS record ON true
    LEFT JOIN LATERAL (${WITHDRAWN}) AS withdrawn ON true
    LEFT JOIN LATERAL (${EXPIRED}) AS expired ON true
    LEFT JOIN LATERAL (${OURS}) AS ours ON true
    LEFT JOIN LATERAL (${liftedBounce('batch.email')}) AS bounce ON withdrawn.by_somebody AND batch.cause = 'bounce'
  ),
  judged AS (
    SELECT
      *,
      CASE
        WHEN problem IS NOT NULL THEN problem
        WHEN causes <> 0 AND NOT ${IS_STALE} THEN NULL
        WHEN (is_ours OR by_somebody) AND NOT ${IS_REMOVABLE} THEN 'refused_there'
        WHEN (is_ours OR by_somebody) AND NOT ($9::boolean AND listed_at IS NOT NULL) THEN 'needs_confirmation'
        WHEN is_ours THEN 'put_there'
        WHEN by_somebody AND is_lifted_bounce THEN 'lifted_here'
        WHEN by_somebody AND cause = 'bounce' THEN 'not_lifted_as_bounce'
        WHEN by_somebody THEN 'needs_confirmation'
        WHEN NOT by_somebody THEN 'lifted_by_source'
        WHEN has_expired THEN 'expired_here'
      END AS reason,
      problem IS NULL
        AND by_somebody IS NULL
        AND has_expired IS NULL
        AND is_ours IS NULL
        AND causes & cause_bit(cause) = 0 AS adds
    FROM known
  ),
  line AS (
    ${INSERT_LINES}
    SELECT
      $1,
      $2,
      CASE
        WHEN reason IN ('put_there', 'lifted_here') THEN 'remove'
        WHEN reason = 'expired_here' THEN 'drift'
        WHEN reason IS NOT NULL THEN 'cannot'
        WHEN causes <> 0 THEN 'agreed'
        ELSE 'pull'
      END,
      email,
      list,
      address,
      cause,
      listed_at,
      CASE WHEN adds AND causes <> 0 THEN 'adds_cause' ELSE reason END,
      adds, revision
    FROM judged
    RETURNING kind, cause
  )
  ${RESULT}`,
);

/**
 * Finds entries that the provider had when a plan was last applied and does not have anymore. They are remembered until the
 * cause is lifted here, or expires.
 */
export const COMPARE_GONE = new PreparedStatement<Compared>(
  'compare-provider-list-gone',
  `WITH batch AS (
    SELECT email, list, address, cause, listed_at, latest_at
    FROM provider_list_entries
    WHERE account_id = $1 AND plan_id = $6 AND ${AFTER}
  ),
  missing AS (
    SELECT batch.*, ${lastRevision('batch.email')} AS revision
    FROM batch
    CROSS JOIN LATERAL (${SUPPRESSED}) AS record
    LEFT JOIN LATERAL (${LISTED} AND NOT is_gone LIMIT 1) AS listed ON true
    LEFT JOIN LATERAL (${LAST_END('batch.email')}) AS ended ON true
    WHERE batch.cause IS NOT NULL
      AND listed.email IS NULL
      AND (ended.at IS NULL OR ended.at < (SELECT created_at FROM provider_list_plans WHERE account_id = $1 AND id = $6))
  ),
  kept AS (
    INSERT INTO provider_list_entries (
      account_id, plan_id, email, list, address, cause, listed_at, latest_at, is_gone
    )
    SELECT $1, $2, email, list, address, cause, listed_at, latest_at, true
    FROM missing
  ),
  line AS (
    ${INSERT_LINES}
    SELECT $1, $2, 'drift', email, list, address, cause, listed_at, 'gone_there', false, revision
    FROM missing
    RETURNING kind, cause
  )
  ${RESULT}`,
);
