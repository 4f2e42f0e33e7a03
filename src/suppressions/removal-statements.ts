import { PreparedStatement } from '../database/prepared-statement.js';
import { insertChanges } from '../ledger/insert-changes.js';
import type { Cause } from '../ledger/cause.js';
import { RECORD_CAUSES, type NamedSuppression } from './suppression.entity.js';

/** A record that was removed, or that lost one of its causes. */
export interface LiftedSuppression extends NamedSuppression {
  action: 'removed' | 'cause_removed';
  cause: Cause;
}

export const REMOVE_BY_EMAILS = createRemoval('remove-suppressions-by-emails', 'email = ANY ($7)');
export const REMOVE_BY_IDS = createRemoval(
  'remove-suppressions-by-ids',
  'created_at = ANY ($8) AND id = ANY ($7)',
);
export const REMOVE_CAUSE_BY_EMAILS = createCauseRemoval('remove-cause-by-emails', 'email = ANY ($8)');
export const REMOVE_CAUSE_BY_IDS = createCauseRemoval(
  'remove-cause-by-ids',
  'created_at = ANY ($9) AND id = ANY ($8)',
);

function createRemoval(name: string, condition: string): PreparedStatement<LiftedSuppression> {
  return new PreparedStatement(
    name,
    `WITH locked AS (
      SELECT email
      FROM suppressions
      WHERE account_id = $1 AND ${condition}
      ORDER BY email
      FOR UPDATE
    ),
    removed AS (
      DELETE FROM suppressions
      USING locked
      WHERE suppressions.account_id = $1 AND suppressions.email = locked.email
      RETURNING suppressions.id, suppressions.email, suppressions.cause, suppressions.email_id
    ),
    change AS (
      SELECT
        'removed'::suppression_action AS action,
        id AS suppression_id,
        email,
        cause,
        email_id,
        NULL::timestamptz AS occurred_at,
        NULL::uuid AS event_id,
        $6::text AS note
      FROM removed
    ),
    ${insertChanges('change')}
    SELECT id, email, cause, 'removed' AS action FROM removed`,
  );
}

/** A record that keeps other causes shows the email id of the strongest of them, which the ledger has. */
function createCauseRemoval(name: string, condition: string): PreparedStatement<LiftedSuppression> {
  return new PreparedStatement(
    name,
    `WITH locked AS (
      SELECT id, email, cause, email_id, (${RECORD_CAUSES}) & ~cause_bit($7) AS causes_left
      FROM suppressions
      WHERE account_id = $1 AND ${condition} AND (${RECORD_CAUSES}) & cause_bit($7) <> 0
      ORDER BY email
      FOR UPDATE
    ),
    removed AS (
      DELETE FROM suppressions AS record
      USING locked
      WHERE record.account_id = $1 AND record.email = locked.email AND causes_left = 0
    ),
    kept AS (
      UPDATE suppressions AS record
      SET cause = strongest_cause(causes_left),
          weaker_causes = causes_left & ~cause_bit(strongest_cause(causes_left)),
          import_id = NULL,
          email_id = CASE
            WHEN strongest_cause(causes_left) = locked.cause THEN locked.email_id
            WHEN strongest_cause(causes_left) <> 'manual' THEN (
              SELECT added.email_id
              FROM suppression_changes AS added
              WHERE added.account_id = $1
                AND added.email = locked.email
                AND added.suppression_id = locked.id
                AND added.cause = strongest_cause(causes_left)
                AND added.action IN ('added', 'strengthened', 'cause_added')
              ORDER BY added.revision DESC
              LIMIT 1
            )
          END
      FROM locked
      WHERE record.account_id = $1 AND record.email = locked.email AND causes_left <> 0
    ),
    change AS (
      SELECT
        (CASE causes_left WHEN 0 THEN 'removed' ELSE 'cause_removed' END)::suppression_action AS action,
        id AS suppression_id,
        email,
        $7::suppression_cause AS cause,
        CASE WHEN cause = $7 THEN email_id END AS email_id,
        NULL::timestamptz AS occurred_at,
        NULL::uuid AS event_id,
        $6::text AS note
      FROM locked
    ),
    ${insertChanges('change')}
    SELECT suppression_id AS id, email, cause, action FROM change`,
  );
}
