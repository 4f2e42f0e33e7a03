import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { delimitValues, type DelimitedRows } from '../../database/delimited-rows.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { matchingRules, toRuleSet } from '../../rules/matching-rules.js';
import type { ActiveRule, RuleSet } from '../../rules/rule-set.js';
import { matchesFor } from '../../suppressions/verdict.js';

const FIND = new PreparedStatement<DelimitedRows>('find-rules-for-bounces', matchingRules());

@Injectable()
export class AllowingRulesRepository {
  /** The rule that allows mail to each address in spite of a bounce; addresses without one are absent. */
  async find(
    accountId: number,
    emails: EmailAddress[],
    transaction: EntityManager,
  ): Promise<Map<EmailAddress, ActiveRule>> {
    const [found] = await FIND.run(transaction, [accountId, delimitValues(emails)]);
    const rules = toRuleSet(found!.delimited);
    return new Map(
      emails.flatMap((email) => {
        const rule = allowingRule(email, rules);
        return rule ? [[email, rule] as const] : [];
      }),
    );
  }
}

/** The rule that would decide a check of an address that has bounced, if it allows. */
function allowingRule(email: EmailAddress, ruleSet: RuleSet): ActiveRule | undefined {
  const rules = ruleSet.matching(email);
  const bounced = { record: { id: '', causes: ['bounce'] as const }, preference: null, rules };
  const [decided] = matchesFor(email, bounced, { type: 'any' });
  return rules.find(({ id, effect }) => id === decided?.id && effect === 'allow');
}
