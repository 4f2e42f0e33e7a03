import { IS_LIVE, LIVE_CAUSES } from '../../suppressions/suppression.entity.js';
import type { ListProvider } from '../providers/provider.js';
import { LIST_PROVIDERS } from '../providers/providers.js';
import { UNSUBSCRIBED } from './push-decisions.js';

/**
 * SQL: when the record of the address last ended here, by a lift or by its expiry. What is known of the provider from before says
 * nothing about what the address needs since. The expiry of one cause leaves a record that has others.
 */
export const LAST_END = (email: string) => `
  SELECT created_at AS at
  FROM suppression_changes
  WHERE account_id = $1 AND email = ${email} AND topic_id IS NULL AND action IN ('removed', 'expired')
    AND (action = 'removed' OR NOT EXISTS (
      SELECT
      FROM suppressions AS kept
      WHERE kept.account_id = $1 AND kept.email = ${email} AND kept.id = suppression_changes.suppression_id
    ))
  ORDER BY revision DESC
  LIMIT 1`;

const SOURCES_OF_PROVIDER = `
  SELECT source.id
  FROM provider_lists AS list
  JOIN sources AS source ON source.account_id = list.account_id AND source.provider = list.provider
  WHERE list.account_id = $1 AND list.id = push.provider_list_id`;

/** By provider and list, the complaints and unsubscribes that an entry may stand for. Of several lists, each has one cause. */
const OPT_OUTS = Object.entries<ListProvider>(LIST_PROVIDERS).flatMap(([provider, { lists, additions }]) =>
  lists.flatMap(({ list }) =>
    ['complaint', 'unsubscribe']
      .filter(
        (cause) =>
          lists.length === 1 || additions.some((line) => line.list === list && line.becomes === cause),
      )
      .map((cause) => `'${provider} ${list} ${cause}'`),
  ),
);

const isOptOut = (cause: string) => `
    concat_ws(' ', (SELECT provider FROM provider_lists WHERE account_id = $1 AND id = push.provider_list_id), push.list, ${cause})
      IN (${OPT_OUTS.join()})`;

/**
 * SQL: whether the provider has reported a complaint or an unsubscribe since `push` was sent, so that an entry on this list with
 * the date of the push may stand for that, too. A report of what the record has already is an event, but no change.
 */
export const REPORTED_SINCE = `(EXISTS (
  SELECT
  FROM suppression_changes AS report
  WHERE report.account_id = $1
    AND report.email = push.email
    AND report.action IN ('added', 'strengthened', 'cause_added')
    AND ${isOptOut('report.cause')}
    AND report.created_at > coalesce(push.put_at, push.attempted_at)
    AND (report.actor_id = push.provider_list_id OR report.actor_id IN (${SOURCES_OF_PROVIDER}))
) OR EXISTS (
  SELECT
  FROM delivery_events AS event
  WHERE event.account_id = $1
    AND event.recipient = push.email
    AND event.effect = 'suppress'
    AND ${isOptOut('event.kind')}
    AND event.received_at > coalesce(push.put_at, push.attempted_at)
    AND event.source_id IN (${SOURCES_OF_PROVIDER})
))`;

/** SQL: whether an incident holds the bounce of a record, which expires within a day unless it is confirmed. */
export function isHeld(record: string): string {
  return `EXISTS (
    SELECT
    FROM held_bounces AS held
    WHERE held.account_id = $1 AND held.suppression_id = ${record}.id AND held.held_until = ${record}.expires_at
  )`;
}

/**
 * SQL, to add: whether the address is still suppressed for the cause, and no incident holds it. To remove: whether it is suppressed
 * for a cause that the list is to have. An unsubscribe that is not pushed keeps there neither a bounce, nor an entry that this service
 * put there, nor what a person confirmed.
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
      WHEN push.consent IS NULL AND push.cause <> 'bounce' AND (push.put_at IS NULL OR ${REPORTED_SINCE}) THEN true
      ELSE ${LIVE_CAUSES} <> ${UNSUBSCRIBED} OR (
        SELECT push_unsubscribes FROM provider_lists WHERE account_id = $1 AND id = $2
      )
    END
)`;
