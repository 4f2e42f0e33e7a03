import type { Records } from './records.js';

export const TOPIC_KEY = 'bench';
const RULES = 1_000;

/** A topic that a tenth of the recipients left, and rules that match nobody: the verdicts are those without them. */
export function insertTopicAndRulesSql({ accountId }: Records): string {
  return `
    INSERT INTO topics (account_id, key, name, default_subscription, visibility)
    VALUES (${accountId}, '${TOPIC_KEY}', 'Bench', 'opt_in', 'private');
    INSERT INTO topic_preferences (account_id, email, topic_id, subscription, contact_id, via)
    SELECT account_id, email, (SELECT id FROM topics WHERE account_id = ${accountId}), 'opt_out', id, 'api'
    FROM suppressions
    WHERE account_id = ${accountId} AND hashtext(email) % 10 = 0;
    INSERT INTO rules (account_id, pattern, effect)
    SELECT ${accountId}, CASE n % 2 WHEN 0 THEN 'rule-' || n || '.example' ELSE '*.rule-' || n || '.example' END, 'block'
    FROM generate_series(1, ${RULES}) AS n;
    ANALYZE topics, topic_preferences, rules`;
}

export function deleteTopicAndRulesSql({ accountId }: Records): string {
  return ['rules', 'topic_preferences', 'topics']
    .map((table) => `DELETE FROM ${table} WHERE account_id = ${accountId}`)
    .join(';');
}
