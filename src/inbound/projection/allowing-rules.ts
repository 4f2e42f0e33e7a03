import type { EntityManager } from 'typeorm';
import { delimitValues, type DelimitedRows } from '../../database/rows.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { matchingRules, toRuleSet, type ActiveRule, type RuleSet } from '../../rules/rule-set.js';
import { matchesFor } from '../../suppressions/verdict.js';
import type { AddressState } from './address-state.js';
import type { NewEvent } from './event-outcome.js';

const FIND = new PreparedStatement<DelimitedRows>('find-rules-for-bounces', matchingRules());

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
  const [found] = await FIND.run(transaction, [accountId, emails]);
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
