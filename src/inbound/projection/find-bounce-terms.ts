import { isNotOfIncident } from '../../ledger/evidence.js';

/** How many of the last lines of an address are searched for earlier bounces, which is many more than there are terms. */
const LINES_WITH_BOUNCES = 1_000;

/**
 * SQL of the terms of the next bounces: the terms of the account, without one for each bounce that was added within two years.
 * A bounce that a lift by query ended was a mistake, and does not count.
 */
export const BOUNCE_TERMS = `
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
