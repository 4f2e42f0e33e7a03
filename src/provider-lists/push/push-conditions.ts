import { IS_LIVE, LIVE_CAUSES } from '../../suppressions/suppression.entity.js';
import type { ListProvider } from '../providers/provider.js';
import { LIST_PROVIDERS } from '../providers/providers.js';
import { UNSUBSCRIBED } from './push-decisions.js';

/** At most this many of the last lines of an address's history, or of its last events, are read. */
const MAX_LINES = 100;

const latestLines = (email: string, condition = '') => `
    SELECT action, cause, actor_id, created_at, revision
    FROM suppression_changes
    WHERE account_id = $1 AND email = ${email} ${condition}
    ORDER BY revision DESC
    LIMIT ${MAX_LINES}`;

/**
 * SQL: when the previous record of the address ended, by a lift or by its expiry; without a current record, when the last one
 * ended. What was known about the provider before that time does not matter for the current record.
 */
export const LAST_END = (email: string) => `
  SELECT created_at AS at
  FROM (${latestLines(
    email,
    `AND revision < coalesce((
      SELECT max(added.revision)
      FROM suppression_changes AS added
      WHERE added.account_id = $1
        AND added.action = 'added'
        AND added.suppression_id = (SELECT id FROM suppressions WHERE account_id = $1 AND email = ${email})
    ), ${Number.MAX_SAFE_INTEGER})`,
  )}
  ) AS before
  WHERE action IN ('removed', 'expired')
  ORDER BY revision DESC
  LIMIT 1`;

const SOURCES_OF_PROVIDER = `
  SELECT source.id
  FROM provider_lists AS list
  JOIN sources AS source ON source.account_id = list.account_id AND source.provider = list.provider
  WHERE list.account_id = $1 AND list.id = push.provider_list_id`;

/**
 * The complaints and unsubscribes that an entry may stand for, by provider and list. If a provider has several lists, each list
 * has one cause.
 */
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

const SENT_AT = 'coalesce(push.put_at, push.attempted_at)';

/**
 * SQL: whether the provider has reported a complaint or an unsubscribe since `push` was sent, so that an entry on this list
 * with the date of the push may also stand for that. Also true if more has happened since than is read. It searches events as
 * well as changes, because a report of a cause that the record already has changes nothing.
 */
export const REPORTED_SINCE = `((
  SELECT coalesce(bool_or(
    action IN ('added', 'strengthened', 'cause_added')
      AND ${isOptOut('cause')}
      AND (actor_id = push.provider_list_id OR actor_id IN (${SOURCES_OF_PROVIDER}))
  ), false) OR count(*) = ${MAX_LINES}
  FROM (${latestLines('push.email')}
  ) AS line
  WHERE created_at > ${SENT_AT}
) OR EXISTS (
  SELECT
  FROM (${SOURCES_OF_PROVIDER}) AS source
  CROSS JOIN LATERAL (
    SELECT
      bool_or(${isOptOut('kind')} AND received_at > ${SENT_AT})
        OR count(*) = ${MAX_LINES} AND min(received_at) > ${SENT_AT} AS is_reported
    FROM (
      SELECT kind, received_at
      FROM delivery_events
      WHERE account_id = $1
        AND recipient = push.email
        AND source_id = source.id
        AND effect IN ('suppress', 'suppress-if-absent')
      ORDER BY coalesce(occurred_at, received_at) DESC
      LIMIT ${MAX_LINES}
    ) AS report
  ) AS reports
  WHERE is_reported
))`;

/** SQL: whether an incident holds the bounce of a record, which expires within a day unless it is confirmed. */
export function isHeld(record: string): string {
  return `EXISTS (
    SELECT
    FROM held_bounces AS held
    WHERE held.account_id = $1 AND held.suppression_id = ${record}.id AND held.held_until = ${record}.expires_at
  )`;
}

/** SQL: whether `push` would remove an entry that may also have become an opt-out, although no person confirmed it. */
const MAY_END_OPT_OUT = `(
  push.action = 'remove' AND push.consent IS NULL AND push.cause <> 'bounce' AND ${REPORTED_SINCE}
)`;

/**
 * SQL: whether `push` agrees with the list here. An addition agrees if the address is still suppressed for the cause, and no
 * incident holds it. A removal agrees if the address is not suppressed for a cause that the list should have, and ends no
 * opt-out. An unsubscribe that is not pushed does not prevent the removal of a bounce, of an entry that this service added, or
 * of an entry whose removal a person confirmed.
 */
export const IS_WANTED = `(NOT ${MAY_END_OPT_OUT} AND (push.action = 'add') = EXISTS (
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
      WHEN push.consent IS NULL AND push.cause <> 'bounce' AND push.put_at IS NULL THEN true
      ELSE ${LIVE_CAUSES} <> ${UNSUBSCRIBED} OR (
        SELECT push_unsubscribes FROM provider_lists WHERE account_id = $1 AND id = $2
      )
    END
))`;

/**
 * SQL: whether the switches of `list` allow `push` to be sent, and its plan was not discarded. A confirmed removal needs
 * neither.
 */
export const IS_ON = `CASE
    WHEN push.consent IS NOT NULL THEN true
    WHEN push.plan_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM provider_list_plans WHERE account_id = push.account_id AND id = push.plan_id AND deleted_at IS NULL
    ) THEN false
    WHEN push.action = 'remove' THEN list.push_removals
    ELSE list.push_additions AND (push.cause <> 'unsubscribe' OR list.push_unsubscribes)
  END`;

const MIN_REMOVALS = 50;
const MAX_REMOVALS = 200;
const ENTRIES_PER_REMOVAL = 100;

/** The most addresses whose removals people confirm in 24 hours. */
export const MAX_CONFIRMED = MAX_REMOVALS;

/**
 * The most removals of a plan, or of a day without a plan, so that a wave of lifts does not clear a provider's list.
 *
 * @param entries - how many the provider has
 */
export function removalCap(entries: number): number {
  return Math.min(MAX_REMOVALS, Math.max(MIN_REMOVALS, Math.floor(entries / ENTRIES_PER_REMOVAL)));
}

const DAILY_CAP = `
  SELECT least(${MAX_REMOVALS}, greatest(${MIN_REMOVALS}, max(plan.entries) / ${ENTRIES_PER_REMOVAL}))
  FROM provider_lists AS list
  JOIN provider_list_plans AS plan ON plan.account_id = list.account_id AND plan.id = list.base_plan_id
  WHERE list.account_id = $1 AND list.id = $2`;

/** SQL for the removals that count toward the cap. Parameters 1 and 2: the list. */
const SENT_REMOVALS = `
    SELECT attempted_at, email
    FROM provider_list_pushes
    WHERE account_id = $1
      AND provider_list_id = $2
      AND action = 'remove'
      AND consent IS NULL
      AND plan_id IS NULL
      AND attempted_at > now() - interval '24 hours'
    ORDER BY attempted_at DESC
    LIMIT ${MAX_REMOVALS}`;

/**
 * SQL: until when a removal without a plan or a confirmation waits, because the cap of such removals within 24 hours is
 * reached; null if it need not wait. Once one entry of an address was removed, its other entries do not wait. The subqueries do
 * not depend on `push`, so a statement runs them once. Parameters 1 and 2: the list.
 */
export const CAPPED_UNTIL = `CASE
    WHEN push.action = 'remove'
      AND push.consent IS NULL
      AND push.plan_id IS NULL
      AND push.email <> ALL (ARRAY(SELECT email FROM (${SENT_REMOVALS}
      ) AS sent))
    THEN (
      SELECT (array_agg(attempted_at ORDER BY attempted_at DESC))[(${DAILY_CAP})] + interval '24 hours'
      FROM (${SENT_REMOVALS}
      ) AS sent
    )
  END`;
