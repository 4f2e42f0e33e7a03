import { IS_LIVE, LIVE_CAUSES } from '../../suppressions/suppression.entity.js';
import { UNSUBSCRIBED } from './push-decisions.js';

/**
 * SQL: when the address was last lifted here, or expired. What is known of the provider from before says nothing about what the
 * address needs since.
 */
export const LAST_END = (email: string) => `
  SELECT created_at AS at
  FROM suppression_changes
  WHERE account_id = $1 AND email = ${email} AND topic_id IS NULL AND action IN ('removed', 'expired')
  ORDER BY revision DESC
  LIMIT 1`;

/**
 * SQL: whether the provider has reported a complaint or an unsubscribe since `push` was sent, so that an entry with the date of the
 * push may stand for that, too.
 */
export const REPORTED_SINCE = `EXISTS (
  SELECT
  FROM suppression_changes AS report
  WHERE report.account_id = $1
    AND report.email = push.email
    AND report.action IN ('added', 'strengthened', 'cause_added')
    AND report.cause IN ('complaint', 'unsubscribe')
    AND report.created_at > coalesce(push.put_at, push.attempted_at)
    AND (report.actor_id = push.provider_list_id OR report.actor_id IN (
      SELECT source.id
      FROM provider_lists AS list
      JOIN sources AS source ON source.account_id = list.account_id AND source.provider = list.provider
      WHERE list.account_id = $1 AND list.id = push.provider_list_id
    ))
)`;

/** SQL: whether an incident holds the bounce of a record, which expires within a day unless it is confirmed. */
export function isHeld(record: string): string {
  return `EXISTS (
    SELECT
    FROM held_bounces AS held
    WHERE held.account_id = $1 AND held.suppression_id = ${record}.id AND held.held_until = ${record}.expires_at
  )`;
}

/**
 * SQL, to add: whether the address is still suppressed for the cause, and no incident holds it. To remove: whether it is suppressed for a cause that the list is to
 * have. An unsubscribe that is not pushed keeps a bounce there no longer, nor what a person confirmed.
 */
export const IS_SUPPRESSED = `EXISTS (
  SELECT
  FROM suppressions
  WHERE account_id = $1
    AND email = push.email
    AND ${IS_LIVE}
    AND CASE
      WHEN push.action = 'add' THEN ${LIVE_CAUSES} & cause_bit(push.cause) <> 0 AND (
        push.cause >= 'unsubscribe'
        OR expires_at IS NULL
        OR NOT ${isHeld('suppressions')} AND (SELECT push_removals FROM provider_lists WHERE account_id = $1 AND id = $2)
      )
      WHEN push.consent IS NULL AND push.cause <> 'bounce' THEN true
      ELSE ${LIVE_CAUSES} <> ${UNSUBSCRIBED} OR (
        SELECT push_unsubscribes FROM provider_lists WHERE account_id = $1 AND id = $2
      )
    END
)`;
