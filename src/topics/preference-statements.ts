import { PreparedStatement } from '../database/prepared-statement.js';
import { hideLength, RowSet } from '../database/rows.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { isNotRevert } from '../ledger/evidence.js';
import { insertChanges, isSameFile } from '../ledger/ledger-sql.js';
import type { CountedChange } from '../metrics/metrics.js';
import type { Subscription } from './topic.entity.js';

export interface Choice {
  email: EmailAddress;
  topicId: string;
  subscription: Subscription;
  emailId: string | null;
  /** When the choice was made; null if that is unknown, or now. */
  occurredAt: Date | null;
  eventId: string | null;
  note: string | null;
  /** When an opt-out that is moved from another topic was made. An opt-in to this topic after that stays. */
  leftAt?: Date;
}

/** A choice that changed the stored one. */
export type ChangedPreference = CountedChange & Pick<Choice, 'email' | 'topicId'>;

export const FIND_EMAIL = new PreparedStatement<{ email: EmailAddress }>(
  'find-email-of-contact',
  `SELECT email FROM contacts WHERE account_id = $1 AND id = $2
  UNION ALL
  SELECT email FROM topic_preferences WHERE account_id = $1 AND contact_id = $2
  LIMIT 1`,
);

const DIFFERS = 'preference.subscription <> excluded.subscription';

/**
 * SQL condition: somebody repeats an opt-out that a source reported. An import does not count, because its file may come from
 * the same provider.
 */
const REPEATS_REPORT = `(
  preference.via = 'source'
  AND preference.subscription = 'opt_out'
  AND excluded.subscription = 'opt_out'
  AND excluded.via NOT IN ('source', 'import')
)`;

/** SQL condition: an opt-in over an opt-out, which `optIns`, the parameter $7, does not allow. */
const IS_REFUSED = `
  $7::text <> 'any'
  AND preference.subscription = 'opt_out'
  AND excluded.subscription = 'opt_in'
  AND ($7 = 'none' OR (SELECT removal FROM accounts WHERE id = $1) = 'guarded')`;

/** SQL condition: a source opts in over an opt-out that somebody made or repeated elsewhere, even after the opt-in was judged. */
const IS_OPTED_OUT_ELSEWHERE = `
  excluded.via = 'source'
  AND excluded.subscription = 'opt_in'
  AND preference.via <> 'source'`;

/** SQL condition: an opt-in that is later than the opt-out that is moved. */
const IS_LATER_OPT_IN = `
  preference.subscription = 'opt_in'
  AND EXISTS (
    SELECT FROM moved
    WHERE moved.email = excluded.email AND moved.topic_id = excluded.topic_id AND moved.left_at < preference.updated_at
  )`;

/**
 * SQL condition: the stored choice is not the one that the caller saw. The parameter $8 is null, or has the times of the choices
 * that the caller saw by their topics, `-infinity` where there was none.
 */
const IS_UNSEEN = `(
  ${DIFFERS}
  AND preference.updated_at <> ($8::jsonb ->> preference.topic_id::text)::timestamptz
) IS TRUE`;

export const CHOICES = new RowSet(9, {
  email: 'text',
  topicId: 'uuid',
  subscription: 'topic_subscription',
  contactId: 'uuid',
  emailId: 'uuid',
  occurredAt: 'timestamptz',
  eventId: 'uuid',
  note: 'text',
  leftAt: 'timestamptz',
});

/**
 * Stores the choices that differ from the stored ones, with a ledger line for each. If anything but the same file repeats a
 * choice of an import, the choice survives a revert of that import: it keeps its channel, is no longer linked to the import,
 * and gets no second line. An opt-out that a source reported, and that somebody repeats, gets a second line, so that an opt-in at
 * the source does not revert it. An opt-out that may not be overridden stays, as does another choice than the one that the caller
 * saw, and its row remains locked.
 */
export const SET = new PreparedStatement<ChangedPreference>(
  'set-topic-preferences',
  `WITH choice AS (
    SELECT *
    FROM ${CHOICES.as('choice')}
  ),
  moved AS MATERIALIZED (
    SELECT email, topic_id, left_at
    FROM choice
    WHERE left_at IS NOT NULL
  ),
  written AS (
    INSERT INTO topic_preferences AS preference
      (account_id, email, topic_id, subscription, contact_id, email_id, via, import_id)
    SELECT $1, email, topic_id, subscription, contact_id, email_id, $6,
      CASE WHEN $2::actor_type = 'import' THEN $3::uuid END
    FROM choice
    ORDER BY email, topic_id
    ON CONFLICT (account_id, email, topic_id) DO UPDATE
    SET subscription = excluded.subscription,
        email_id = CASE WHEN ${DIFFERS} THEN excluded.email_id ELSE preference.email_id END,
        via = CASE WHEN ${DIFFERS} OR ${REPEATS_REPORT} THEN excluded.via ELSE preference.via END,
        updated_at = CASE WHEN ${DIFFERS} THEN clock_timestamp() ELSE preference.updated_at END,
        import_id = CASE WHEN ${DIFFERS} THEN excluded.import_id END
    WHERE (
        ${DIFFERS}
        OR ${REPEATS_REPORT}
        OR preference.import_id IS NOT NULL
          AND preference.import_id IS DISTINCT FROM excluded.import_id
          AND NOT ${isSameFile('preference.import_id', 'excluded.import_id')}
      )
      AND NOT (${IS_REFUSED})
      AND NOT (${IS_OPTED_OUT_ELSEWHERE})
      AND NOT (${IS_LATER_OPT_IN})
      AND NOT ${IS_UNSEEN}
    RETURNING email, topic_id, via = 'import' AND import_id IS NULL AS is_repeated
  ),
  change AS (
    SELECT
      choice.*,
      NULL::uuid AS suppression_id,
      NULL::suppression_cause AS cause,
      (CASE choice.subscription WHEN 'opt_in' THEN 'opted_in' ELSE 'opted_out' END)::suppression_action AS action
    FROM written
    JOIN choice USING (email, topic_id)
    WHERE NOT is_repeated
  ),
  ${insertChanges({ topicId: 'topic_id' })}
  SELECT email, topic_id AS "topicId", action, cause FROM change`,
);

const EMAILS = hideLength('$8', 'text');

/**
 * Reverts opt-outs of an import that nobody has repeated or changed since. The earlier opt-in of a recipient is restored. Other
 * recipients have no choice again, and their ledger lines show the default of the topic. Changes by other imports and by
 * reverts do not count as choices.
 */
export const REVERT = new PreparedStatement<CountedChange>(
  'revert-imported-opt-outs',
  `WITH imported AS (
    SELECT email
    FROM topic_preferences
    WHERE account_id = $1 AND email = ANY (${EMAILS}) AND topic_id = $6 AND import_id = $7
    ORDER BY email
    FOR UPDATE
  ),
  earlier AS (
    SELECT
      imported.email,
      coalesce(line.action = 'opted_in', false) AS had_opted_in,
      line.email_id,
      line.created_at,
      CASE line.actor_type
        WHEN 'source' THEN 'source'
        WHEN 'recipient' THEN line.evidence ->> 'via'
        ELSE 'api'
      END AS via
    FROM imported
    LEFT JOIN LATERAL (
      SELECT *
      FROM suppression_changes AS change
      WHERE change.account_id = $1
        AND change.email = imported.email
        AND change.topic_id = $6
        AND change.actor_type <> 'import'
        AND ${isNotRevert('change')}
      ORDER BY change.revision DESC
      LIMIT 1
    ) AS line ON true
  ),
  restored AS (
    UPDATE topic_preferences AS preference
    SET subscription = 'opt_in', via = earlier.via::preference_via, email_id = earlier.email_id, import_id = NULL,
      updated_at = earlier.created_at
    FROM earlier
    WHERE preference.account_id = $1 AND preference.email = ANY (${EMAILS}) AND preference.topic_id = $6
      AND preference.email = earlier.email AND had_opted_in
  ),
  deleted AS (
    DELETE FROM topic_preferences AS preference
    USING earlier
    WHERE preference.account_id = $1 AND preference.email = ANY (${EMAILS}) AND preference.topic_id = $6
      AND preference.email = earlier.email AND NOT had_opted_in
  ),
  change AS (
    SELECT
      earlier.email,
      topic.id AS topic_id,
      (
        CASE WHEN had_opted_in OR default_subscription = 'opt_in' THEN 'opted_in' ELSE 'opted_out' END
      )::suppression_action AS action,
      NULL::uuid AS suppression_id,
      NULL::suppression_cause AS cause,
      NULL::uuid AS email_id,
      NULL::timestamptz AS occurred_at,
      NULL::uuid AS event_id,
      $9::text AS note
    FROM earlier
    CROSS JOIN topics AS topic
    WHERE topic.account_id = $1 AND topic.id = $6
  ),
  ${insertChanges({ topicId: 'topic_id' })}
  SELECT action, cause FROM logged`,
);
