import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { delimitValues, groupBy, hideLength, type DelimitedRows } from '../../database/rows.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { matchingRules, toRuleSet, type ActiveRule, type RuleSet } from '../../rules/rule-set.js';
import { matchesFor } from '../../suppressions/verdict.js';
import type { Source } from '../sources/source.entity.js';
import type { AddressState } from './address-state.js';
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
  JOIN provider_list_pushes AS push ON push.account_id = list.account_id AND push.provider_list_id = list.id
  CROSS JOIN LATERAL (
    VALUES (push.put_at), (CASE WHEN push.action = 'add' THEN push.attempted_at END)
  ) AS sent (at)
  WHERE list.account_id = $1 AND list.provider = $2 AND push.email = ANY (${hideLength('$3', 'text')}) AND sent.at IS NOT NULL`,
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
