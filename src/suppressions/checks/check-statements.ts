import type { ComplaintReach } from '../../accounts/account.entity.js';
import { delimitRows, hideLength, undelimitValues } from '../../database/delimited-rows.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { matchingRules } from '../../rules/matching-rules.js';
import type { Subscription } from '../../topics/topic.entity.js';
import { SUPPRESSION_COLUMNS } from '../suppression-lookup.js';
import { IS_LIVE, liveCauses } from '../suppression.entity.js';

export interface ForEveryPurpose {
  complaintReach: ComplaintReach;
}

const EMAILS = hideLength(undelimitValues('$2'), 'text');
/** SQL for when the hold of a record ends, for `toIsoTimestamp`; empty if it is not held. Few records expire at all. */
const HELD_UNTIL = `CASE WHEN expires_at IS NULL THEN '' ELSE coalesce((
  SELECT (held_until AT TIME ZONE 'UTC')::text
  FROM held_bounces AS held
  WHERE held.account_id = $1 AND held.suppression_id = suppressions.id AND held.held_until = suppressions.expires_at
), '') END`;
export const RECORD_COLUMNS = [...SUPPRESSION_COLUMNS, liveCauses('weaker_causes'), HELD_UNTIL];
export const PREFERENCE_COLUMNS = ['email', 'subscription'];
const RECORDS = `SELECT ${delimitRows(RECORD_COLUMNS)} FROM suppressions WHERE account_id = $1 AND email = ANY (${EMAILS}) AND ${IS_LIVE}`;

export interface CheckRow {
  records: string | null;
  rules: string | null;
}

type TransactionalCheckRow = CheckRow & ForEveryPurpose;

interface TopicCheckRow extends CheckRow {
  preferences: string | null;
  topicId: string | null;
  defaultSubscription: Subscription;
}

export const CHECK = new PreparedStatement<CheckRow>(
  'check',
  `SELECT (${RECORDS}) AS records, (${matchingRules()}) AS rules`,
);

export const CHECK_FOR_TRANSACTIONAL = new PreparedStatement<TransactionalCheckRow>(
  'check-for-transactional',
  `SELECT
    (${RECORDS}) AS records,
    (${matchingRules()}) AS rules,
    (SELECT complaint_reach FROM accounts WHERE id = $1) AS "complaintReach"`,
);

export const CHECK_FOR_TOPIC = new PreparedStatement<TopicCheckRow>(
  'check-for-topic',
  `WITH topic AS MATERIALIZED (
    SELECT id, default_subscription
    FROM topics
    WHERE account_id = $1
      AND archived_at IS NULL
      AND id = coalesce($3, (SELECT id FROM topics WHERE account_id = $1 AND archived_at IS NULL AND key = $4))
  )
  SELECT
    (${RECORDS}) AS records,
    (
      SELECT ${delimitRows(PREFERENCE_COLUMNS)}
      FROM topic_preferences
      WHERE account_id = $1 AND email = ANY (${EMAILS}) AND topic_id = (SELECT id FROM topic)
    ) AS preferences,
    (${matchingRules('(SELECT id FROM topic)')}) AS rules,
    (SELECT id FROM topic) AS "topicId",
    (SELECT default_subscription FROM topic) AS "defaultSubscription"`,
);

/** With the rules of all topics. */
export const EXPLAIN = new PreparedStatement<TransactionalCheckRow>(
  'explain-verdicts',
  `SELECT
    (${RECORDS}) AS records,
    (${matchingRules('topic_id')}) AS rules,
    (SELECT complaint_reach FROM accounts WHERE id = $1) AS "complaintReach"`,
);
