import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { delimitValues, groupBy, type DelimitedRows } from '../../database/rows.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { matchingRules, toRuleSet, type ActiveRule, type RuleSet } from '../../rules/rule-set.js';
import { matchesFor } from '../../suppressions/verdict.js';
import type { SoftLimit, Source } from '../sources/source.entity.js';
import { liftTimesOf, windowStart, type AddressState, type SoftFailures } from './address-state.js';
import type { NewEvent } from './event-outcome.js';

/*
 * Facts about addresses that few deliveries need, so each has a statement of its own, which is sent only if it matters.
 */

const FIND_RULES = new PreparedStatement<DelimitedRows>('find-rules-for-bounces', matchingRules());

/**
 * Adds to each state the rule that allows mail to the address in spite of a bounce, if there is one.
 *
 * @param addresses - the addresses with their events, which have the given form of the address
 */
export async function withAllowingRules(
  accountId: number,
  states: AddressState[],
  addresses: Map<EmailAddress, NewEvent[]>,
  transaction: EntityManager,
): Promise<AddressState[]> {
  if (!states[0]?.hasRules) {
    return states;
  }
  const given = new Map(
    states.map(({ email }) => [email, addresses.get(email)![0]!.erasedRecipient ?? email]),
  );
  const emails = delimitValues([...new Set([...given.keys(), ...given.values()])]);
  const [found] = await FIND_RULES.run(transaction, [accountId, emails]);
  const rules = toRuleSet(found!.delimited);
  return states.map((state) => {
    const { email } = state;
    return { ...state, allowedBy: allowingRule(given.get(email)!, email, rules) ?? null };
  });
}

/** The rule that would decide a check of an address that has bounced, if it allows. */
function allowingRule(email: EmailAddress, stored: EmailAddress, ruleSet: RuleSet): ActiveRule | undefined {
  const rules = ruleSet.matching(email, stored);
  const bounced = { record: { id: '', causes: ['bounce'] as const }, preference: null, rules };
  const [decided] = matchesFor(email, bounced, { type: 'any' }, stored);
  return rules.find(({ id, effect }) => id === decided?.id && effect === 'allow');
}

const FIND_OWN_ENTRIES = new PreparedStatement<{ email: EmailAddress; at: Date }>(
  'find-own-entries-of-addresses',
  `SELECT push.email, sent.at
  FROM provider_lists AS list
  CROSS JOIN unnest($3::text[]) AS requested (email)
  CROSS JOIN LATERAL (
    SELECT email, put_at, action, attempted_at
    FROM provider_list_pushes
    WHERE account_id = list.account_id AND provider_list_id = list.id AND email = requested.email
    OFFSET 0
  ) AS push
  CROSS JOIN LATERAL (
    VALUES (push.put_at), (CASE WHEN push.action = 'add' THEN push.attempted_at END)
  ) AS sent (at)
  WHERE list.account_id = $1 AND list.provider = $2 AND sent.at IS NOT NULL`,
);

/**
 * Adds to each state when this service put the address on a list of the provider. Resend and Postmark report such an entry as one
 * that somebody made by hand.
 */
export async function withOwnEntries(
  { accountId, provider }: Source,
  states: AddressState[],
  addresses: Map<EmailAddress, NewEvent[]>,
  transaction: EntityManager,
): Promise<AddressState[]> {
  const manual = [...addresses].filter(([, events]) => events.some(({ kind }) => kind === 'manual'));
  if (manual.length === 0) {
    return states;
  }
  const rows = await FIND_OWN_ENTRIES.run(transaction, [accountId, provider, manual.map(([email]) => email)]);
  const byAddress = groupBy(rows, ({ email }) => email);
  return states.map((state) => ({
    ...state,
    putAt: (byAddress.get(state.email) ?? []).map(({ at }) => at.getTime()),
  }));
}

interface FailureRow {
  email: EmailAddress;
  lastArrivalAt: Date | null;
  lastRemoval: string | null;
  mail: string | null;
  failedAt: Date | null;
}

/** How many repeated failures of the same mails are read in addition to the limit. */
const REPEATED_FAILURES = 1_000;

/** Failures from before mail arrived, or from before the address or its bounce was removed, do not count. */
const FIND_SOFT_FAILURES = new PreparedStatement<FailureRow>(
  'find-soft-failures',
  `WITH new_event AS MATERIALIZED (
    SELECT unnest($5::uuid[]) AS id
  )
  SELECT
    requested.email,
    arrived.at AS "lastArrivalAt",
    removed.revision AS "lastRemoval",
    failed.mail,
    failed.at AS "failedAt"
  FROM unnest($3::text[]) AS requested (email)
  LEFT JOIN LATERAL (
    SELECT coalesce(arrival.occurred_at, arrival.received_at) AS at
    FROM delivery_events AS arrival
    WHERE arrival.account_id = $1
      AND arrival.recipient = requested.email
      AND arrival.effect = 'success'
      AND arrival.id NOT IN (SELECT id FROM new_event)
    ORDER BY coalesce(arrival.occurred_at, arrival.received_at) DESC
    LIMIT 1
  ) AS arrived ON true
  LEFT JOIN LATERAL (
    SELECT removal.revision
    FROM suppression_changes AS removal
    WHERE removal.account_id = $1
      AND removal.email = requested.email
      AND (removal.action = 'removed' OR removal.action = 'cause_removed' AND removal.cause = 'bounce')
    ORDER BY removal.revision DESC
    LIMIT 1
  ) AS removed ON true
  CROSS JOIN LATERAL (SELECT (${liftTimesOf('requested.email')})[1]) AS bounce (lifted_at)
  LEFT JOIN LATERAL (
    SELECT failure.mail, max(failure.at) AS at
    FROM (
      SELECT
        coalesce(raw_message_id, key) AS mail,
        coalesce(occurred_at, received_at) AS at,
        revision
      FROM delivery_events
      WHERE account_id = $1
        AND recipient = requested.email
        AND source_id = $2
        AND effect = 'watch'
        AND kind = 'bounce'
        AND coalesce(occurred_at, received_at) > greatest($4, arrived.at)
        AND id NOT IN (SELECT id FROM new_event)
      ORDER BY coalesce(occurred_at, received_at) DESC
      LIMIT $6 + ${REPEATED_FAILURES}
    ) AS failure
    WHERE (removed.revision IS NULL OR failure.revision >= removed.revision)
      AND (bounce.lifted_at IS NULL OR failure.at >= bounce.lifted_at)
    GROUP BY failure.mail
    ORDER BY at DESC
    LIMIT $6
  ) AS failed ON true`,
);

/**
 * The mails of a source that failed before these events, by address: the latest ones, up to the limit. The addresses must be
 * locked exclusively; otherwise, a failure that another delivery is storing would be missed.
 */
export async function findSoftFailures(
  { accountId, id }: Source,
  { failures, days }: SoftLimit,
  addresses: Map<EmailAddress, NewEvent[]>,
  transaction: EntityManager,
): Promise<Map<EmailAddress, SoftFailures>> {
  const events = [...addresses.values()].flat();
  const rows = await FIND_SOFT_FAILURES.run(transaction, [
    accountId,
    id,
    [...addresses.keys()],
    new Date(windowStart(events[0]!.receivedAt, days)),
    events.map((event) => event.id),
    failures,
  ]);
  const byAddress = groupBy(rows, ({ email }) => email);
  return new Map([...byAddress].map(([email, found]) => [email, toSoftFailures(found)]));
}

/** @param rows - the rows of one address: one for each mail, or one without a mail */
function toSoftFailures(rows: FailureRow[]): SoftFailures {
  const { lastArrivalAt, lastRemoval } = rows[0]!;
  const failed = rows.flatMap(({ mail, failedAt }) =>
    mail !== null && failedAt ? [[mail, failedAt.getTime()] as const] : [],
  );
  return { lastArrivalAt: lastArrivalAt?.getTime() ?? -Infinity, mails: new Map(failed), lastRemoval };
}
