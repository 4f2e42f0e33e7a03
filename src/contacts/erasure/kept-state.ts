import type { EntityManager } from 'typeorm';
import { renewRulesVersion } from '../../accounts/rules-version.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { CAUSES, LASTING_CAUSES, maskOf } from '../../ledger/cause.js';
import { changeParameters, insertChanges } from '../../ledger/ledger-sql.js';
import { RECORD_CAUSES } from '../../suppressions/suppression.entity.js';
import { contactIdOf } from '../../topics/contact.js';
import type { Erasure } from './erasure.entity.js';
import { MAX_EARLIER_RECORDS, STATE_COUNTS } from './first-step.js';
import type { Subject } from './pseudonyms.js';
import { isTwin, UNIQUE_TEXTS, uniqueText } from './unique-texts.js';

/** Later steps rename the rest. An address with more lines is improbable. */
const MAX_LINES = 5_000;

const RULES = new PreparedStatement<{ count: number }>(
  'pseudonymize-rules',
  `WITH renamed AS (
    UPDATE rules SET pattern = $3 WHERE account_id = $1 AND pattern = $2 RETURNING 1
  ),
  history AS (
    UPDATE rule_changes SET pattern = $3 WHERE account_id = $1 AND pattern = $2 RETURNING 1
  )
  SELECT count(*)::integer AS count FROM renamed`,
);

const HISTORY = new PreparedStatement<{ count: number; suppressionIds: string[] }>(
  'pseudonymize-history',
  `WITH line AS MATERIALIZED (
    SELECT id, suppression_id
    FROM suppression_changes
    WHERE account_id = $1 AND email = $2
    ORDER BY revision DESC
    LIMIT ${MAX_LINES}
  )
  SELECT
    erase_from_ledger($1, ARRAY (SELECT id FROM line), $2, $3, $4) AS count,
    ARRAY (
      SELECT DISTINCT suppression_id
      FROM line
      WHERE suppression_id IS NOT NULL
      LIMIT ${MAX_EARLIER_RECORDS}
    ) AS "suppressionIds"`,
);

const EVENTS = new PreparedStatement<{ count: number }>(
  'pseudonymize-events',
  `WITH event AS MATERIALIZED (
    SELECT id, ${isTwin(UNIQUE_TEXTS.delivery_events!, '$4', '$3')} AS is_twin
    FROM (
      SELECT id, source_id, key
      FROM delivery_events
      WHERE account_id = $1 AND recipient = $2
      ORDER BY recipient DESC, id DESC
      LIMIT ${MAX_LINES}
    ) AS latest
  ),
  renamed AS (
    UPDATE delivery_events
    SET recipient = $3, key = ${uniqueText('delivery_events', 'event', '$4', '$3')}
    FROM event
    WHERE account_id = $1 AND delivery_events.id = ANY (ARRAY (SELECT id FROM event)) AND delivery_events.id = event.id
    RETURNING 1
  )
  SELECT count(*)::integer AS count FROM renamed`,
);

/** Selects rows by `ctid`, so that every plan finds them through the index of the key. */
const PUSHES = new PreparedStatement<{ count: number }>(
  'delete-pushes-of-pseudonymized-address',
  `WITH deleted AS (
    DELETE FROM provider_list_pushes
    WHERE account_id = $1
      AND ctid = ANY (ARRAY (
        SELECT push.row_id
        FROM provider_lists AS list
        CROSS JOIN LATERAL (
          SELECT ctid AS row_id
          FROM provider_list_pushes
          WHERE account_id = $1 AND provider_list_id = list.id AND email = $2
          ORDER BY list, address
          LIMIT 100
        ) AS push
        WHERE list.account_id = $1
      ))
    RETURNING 1
  )
  SELECT count(*)::integer AS count FROM deleted`,
);

/**
 * Renames the state that verdicts depend on. The ledger lines that announce it, and give followers the ids of the records, have
 * no effect: they remove a cause that the address does not have, or, if it has all causes, one that the last line adds back. If
 * `Strays` deleted a record, the lines add back all causes of the remaining one.
 */
const STATE = new PreparedStatement<{ counts: Record<string, number> }>(
  'pseudonymize-state',
  `WITH choice AS (
    UPDATE topic_preferences SET email = $7, contact_id = $8 WHERE account_id = $1 AND email = $6
    RETURNING topic_id, subscription
  ),
  contact AS (
    UPDATE contacts SET email = $7, id = $8 WHERE account_id = $1 AND id = $9 RETURNING id
  ),
  withdrawal AS (
    UPDATE withdrawals SET email = $7 WHERE account_id = $1 AND email = $6 RETURNING email
  ),
  record AS (
    UPDATE suppressions SET email = $7 WHERE account_id = $1 AND email = $6
    RETURNING id, cause, email_id, expires_at, ${RECORD_CAUSES} AS causes
  ),
  present AS (
    SELECT id, cause, email_id, expires_at, causes FROM record
    UNION ALL
    SELECT id, cause, email_id, expires_at, ${RECORD_CAUSES}
    FROM suppressions
    WHERE account_id = $1 AND email = $7 AND (cardinality($10::uuid[]) > 0 OR $11::uuid IS NOT NULL)
  ),
  announcing AS (
    SELECT CASE
      WHEN causes & cause_bit('complaint') = 0 OR causes = ${maskOf(CAUSES)} THEN 'complaint'
      WHEN causes & cause_bit('unsubscribe') = 0 THEN 'unsubscribe'
      WHEN causes & cause_bit('manual') = 0 THEN 'manual'
      ELSE 'bounce'
    END::suppression_cause AS cause
    FROM (SELECT coalesce((SELECT causes FROM present), 0) AS causes) AS present_causes
  ),
  change AS (
    SELECT
      'cause_removed'::suppression_action AS action, id AS suppression_id, announcing.cause,
      NULL::uuid AS changed_topic_id, $7::text AS email, NULL::uuid AS email_id,
      NULL::timestamptz AS occurred_at, NULL::uuid AS event_id, NULL::text AS note, NULL::timestamptz AS line_expires_at
    FROM unnest($10::uuid[]) AS earlier (id)
    CROSS JOIN announcing
    WHERE id NOT IN (SELECT id FROM present) AND id IS DISTINCT FROM $11::uuid
    UNION ALL
    SELECT 'removed', $11::uuid, announcing.cause, NULL, $7, NULL, NULL, NULL, NULL, NULL
    FROM announcing
    WHERE $11::uuid IS NOT NULL
    UNION ALL
    SELECT 'strengthened', id, kept.cause, NULL, $7, CASE WHEN kept.cause = present.cause THEN email_id END, NULL, NULL, NULL,
      CASE WHEN cause_bit(kept.cause) & ~${LASTING_CAUSES} <> 0 THEN expires_at END
    FROM present
    CROSS JOIN unnest(enum_range(NULL::suppression_cause)) AS kept (cause)
    WHERE $11::uuid IS NOT NULL AND causes & cause_bit(kept.cause) <> 0
    UNION ALL
    SELECT
      (CASE WHEN causes = ${maskOf(CAUSES)} THEN 'strengthened' ELSE 'cause_removed' END)::suppression_action,
      id, announcing.cause, NULL, $7, CASE WHEN causes = ${maskOf(CAUSES)} THEN email_id END, NULL, NULL, NULL, expires_at
    FROM present
    CROSS JOIN announcing
    WHERE $11::uuid IS NULL
    UNION ALL
    SELECT
      (CASE subscription WHEN 'opt_in' THEN 'opted_in' ELSE 'opted_out' END)::suppression_action,
      NULL, NULL, topic_id, $7, NULL, NULL, NULL, NULL, NULL
    FROM choice
  ),
  ${insertChanges({ topicId: 'changed_topic_id', expiresAt: 'line_expires_at' })}
  SELECT ${STATE_COUNTS} AS counts`,
);

/**
 * Gives the state of an address its pseudonym, in one transaction, so that the address stays blocked. `Strays` has removed
 * conflicting rows before. Pending pushes to providers are deleted; otherwise, they would be undone, because the address itself
 * is no longer suppressed.
 *
 * @param strayId - the result of `Strays.merge`
 * @returns how many rows were changed, by table
 */
export async function pseudonymizeState(
  transaction: EntityManager,
  { accountId, id: erasureId, actor, progress }: Erasure,
  { email, quoted }: Subject,
  strayId: string | null,
): Promise<Record<string, number>> {
  const { replacement } = progress!;
  const [rules] = await RULES.run(transaction, [accountId, email, replacement]);
  if (rules!.count > 0) {
    await renewRulesVersion(transaction, accountId);
  }
  const [lines] = await HISTORY.run(transaction, [accountId, email, quoted.sql, replacement]);
  const [pushes] = await PUSHES.run(transaction, [accountId, email]);
  const [events] = await EVENTS.run(transaction, [accountId, email, replacement, quoted.sql]);
  const [state] = await STATE.run(transaction, [
    ...changeParameters(accountId, { ...actor, evidence: { erasure: erasureId } }),
    email,
    replacement,
    contactIdOf(accountId, replacement),
    contactIdOf(accountId, email),
    lines!.suppressionIds,
    strayId,
  ]);
  return {
    ...state!.counts,
    rules: rules!.count,
    suppression_changes: lines!.count,
    delivery_events: events!.count,
    provider_list_pushes: pushes!.count,
  };
}
