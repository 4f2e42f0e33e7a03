import type { EntityManager } from 'typeorm';
import { renewRulesVersion } from '../../accounts/rules-version.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { changeParameters, insertChanges } from '../../ledger/ledger-sql.js';
import type { CountedChange } from '../../metrics/metrics.js';
import { IS_LIVE } from '../../suppressions/suppression.entity.js';
import { contactIdOf } from '../../topics/contact.js';
import type { Erasure } from './erasure.entity.js';
import { MayBeMailedAgainError } from './errors.js';

/** Followers of the feed must forget these records. It is improbable that an address was removed more often. */
export const MAX_EARLIER_RECORDS = 100;

/** SQL for the numbers of rows in the common table expressions of a statement, by table. */
export const STATE_COUNTS = `jsonb_build_object(
    'suppressions', (SELECT count(*) FROM record),
    'withdrawals', (SELECT count(*) FROM withdrawal),
    'topic_preferences', (SELECT count(*) FROM choice),
    'contacts', (SELECT count(*) FROM contact)
  )`;

/** Deletes the rules about the address alone. */
const DELETE_RULES = new PreparedStatement<{ count: number; mustNotBeMailed: boolean }>(
  'erase-rules',
  `WITH deleted AS (
    DELETE FROM rules
    WHERE account_id = $1 AND pattern = $5
    RETURNING account_id, id, effect, topic_id, expires_at, note
  ),
  recorded AS (
    INSERT INTO rule_changes (account_id, action, effect, actor_type, actor_id, actor_name, rule_id, topic_id, expires_at, pattern, note)
    SELECT account_id, 'deleted', effect, $2, $3, $4, id, topic_id, expires_at, $5, note
    FROM deleted
  )
  SELECT
    count(*)::integer AS count,
    coalesce(bool_or(effect = 'block' AND (expires_at IS NULL OR expires_at > now())), false) AS "mustNotBeMailed"
  FROM deleted`,
);

/** Requests lock choices before the record. {@link DELETE_STATE} alone would lock them in another order. */
const LOCK_CHOICES = new PreparedStatement<Record<string, never>>(
  'lock-choices-of-erased-address',
  'SELECT FROM topic_preferences WHERE account_id = $1 AND email = $2 ORDER BY topic_id FOR UPDATE',
);

/**
 * Deletes the state that verdicts depend on. The ledger lines about this are written with the replacement, and with the ids of
 * the records, so that followers can forget them. A line about an earlier record of the address changes nothing, and does not
 * count as a removal.
 */
const DELETE_STATE = new PreparedStatement<
  CountedChange & { counts: Record<string, number> | null; mustNotBeMailed: boolean | null }
>(
  'erase-state',
  `WITH choice AS (
    DELETE FROM topic_preferences WHERE account_id = $1 AND email = $6 RETURNING topic_id, subscription
  ),
  contact AS (
    DELETE FROM contacts WHERE account_id = $1 AND id = $8 RETURNING id
  ),
  withdrawal AS (
    DELETE FROM withdrawals WHERE account_id = $1 AND email = $6 RETURNING email
  ),
  record AS (
    DELETE FROM suppressions WHERE account_id = $1 AND email = $6 RETURNING id, cause, expires_at
  ),
  earlier AS (
    SELECT DISTINCT suppression_id AS id
    FROM suppression_changes
    WHERE account_id = $1 AND email = $6 AND suppression_id IS NOT NULL
    LIMIT ${MAX_EARLIER_RECORDS}
  ),
  change AS (
    SELECT
      'removed'::suppression_action AS action, id AS suppression_id, cause, NULL::uuid AS changed_topic_id, $7::text AS email,
      NULL::uuid AS email_id, NULL::timestamptz AS occurred_at, NULL::uuid AS event_id, NULL::text AS note
    FROM record
    UNION ALL
    SELECT 'cause_removed', id, 'manual', NULL, $7, NULL, NULL, NULL, NULL
    FROM earlier
    WHERE id NOT IN (SELECT id FROM record)
    UNION ALL
    SELECT
      (CASE default_subscription WHEN 'opt_in' THEN 'opted_in' ELSE 'opted_out' END)::suppression_action,
      NULL, NULL, topic_id, $7, NULL, NULL, NULL, NULL
    FROM choice
    JOIN topics ON topics.account_id = $1 AND topics.id = choice.topic_id
  ),
  ${insertChanges({ topicId: 'changed_topic_id' })}
  SELECT action, cause, NULL::jsonb AS counts, NULL::boolean AS "mustNotBeMailed" FROM logged
  UNION ALL
  SELECT NULL, NULL, ${STATE_COUNTS},
  EXISTS (SELECT FROM record WHERE ${IS_LIVE})
    OR EXISTS (SELECT FROM choice WHERE subscription = 'opt_out')`,
);

/** Runs after the deletions, so that rows about the address that are written later have higher ids. */
const END = new PreparedStatement<{ id: string }>('end-first-step-of-erasure', 'SELECT uuid_v7() AS id');

export interface FirstStep {
  counts: Record<string, number>;
  changes: CountedChange[];
  /** A UUIDv7 by the clock of the database. */
  endedAt: string;
}

/**
 * Deletes the state of an address in one transaction: its record, its choices, its contact, and the rules about it alone. After
 * that, it may be mailed.
 *
 * @throws {MayBeMailedAgainError} if this removes a block that was added since the request, and nobody accepted that
 */
export async function eraseState(
  transaction: EntityManager,
  { accountId, id: erasureId, actor, progress }: Erasure,
  email: EmailAddress,
): Promise<FirstStep> {
  const { replacement, acceptsMail } = progress!;
  const { type, id, name } = actor;
  const [rules] = await DELETE_RULES.run(transaction, [accountId, type, id, name, email]);
  if (rules!.count > 0) {
    await renewRulesVersion(transaction, accountId);
  }
  await LOCK_CHOICES.run(transaction, [accountId, email]);
  const by = { ...actor, evidence: { erasure: erasureId } };
  const rows = await DELETE_STATE.run(transaction, [
    ...changeParameters(accountId, by),
    email,
    replacement,
    contactIdOf(accountId, email),
  ]);
  const { counts, mustNotBeMailed } = rows.find((row) => row.counts !== null)!;
  if (!acceptsMail && (mustNotBeMailed || rules!.mustNotBeMailed)) {
    throw new MayBeMailedAgainError();
  }
  const [end] = await END.run(transaction, []);
  return {
    counts: { ...counts, rules: rules!.count },
    changes: rows.filter((row) => row.counts === null),
    endedAt: end!.id,
  };
}
