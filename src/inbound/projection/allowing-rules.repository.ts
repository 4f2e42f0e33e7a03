import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { delimitValues, type DelimitedRows } from '../../database/delimited-rows.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { matchingRules, toRuleSet, type ActiveRule, type RuleSet } from '../../rules/rule-set.js';
import { matchesFor } from '../../suppressions/verdict.js';

const FIND = new PreparedStatement<DelimitedRows>('find-rules-for-bounces', matchingRules());

@Injectable()
export class AllowingRulesRepository {
  /**
   * The rule that allows mail to each address in spite of a bounce; addresses without one are absent.
   *
   * @param emails - the addresses as they were given, by those that are stored
   */
  async find(
    accountId: number,
    emails: ReadonlyMap<EmailAddress, EmailAddress>,
    transaction: EntityManager,
  ): Promise<Map<EmailAddress, ActiveRule>> {
    const [found] = await FIND.run(transaction, [
      accountId,
      delimitValues([...new Set([...emails.keys(), ...emails.values()])]),
    ]);
    const rules = toRuleSet(found!.delimited);
    return new Map(
      [...emails].flatMap(([stored, email]) => {
        const rule = allowingRule(email, stored, rules);
        return rule ? [[stored, rule] as const] : [];
      }),
    );
  }
}

/** The rule that would decide a check of an address that has bounced, if it allows. */
function allowingRule(email: EmailAddress, stored: EmailAddress, ruleSet: RuleSet): ActiveRule | undefined {
  const rules = ruleSet.matching(email, stored);
  const bounced = { record: { id: '', causes: ['bounce'] as const }, preference: null, rules };
  const [decided] = matchesFor(email, bounced, { type: 'any' }, stored);
  return rules.find(({ id, effect }) => id === decided?.id && effect === 'allow');
}
