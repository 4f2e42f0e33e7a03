import type { EmailAddress } from '../email-address/email-address.js';
import { patternsMatching, type Pattern } from './pattern.js';
import type { Rule } from './rule.entity.js';

export type ActiveRule = Pick<Rule, 'id' | 'pattern' | 'effect' | 'topicId'>;

export class RuleSet {
  private readonly byPattern = new Map<Pattern, ActiveRule[]>();

  constructor(rules: ActiveRule[]) {
    for (const rule of rules) {
      this.byPattern.set(rule.pattern, [...(this.byPattern.get(rule.pattern) ?? []), rule].sort(blockFirst));
    }
  }

  /**
   * The rules that match an address, the most specific first; of two with the same pattern, the one that blocks, or
   * else the older one.
   *
   * @param pseudonym - the name of an erased address in a rule for it alone
   */
  matching(email: EmailAddress, pseudonym: EmailAddress = email): ActiveRule[] {
    if (this.byPattern.size === 0) {
      return [];
    }
    const patterns = patternsMatching(email);
    const all = pseudonym === email ? patterns : [pseudonym, ...patterns];
    return all.flatMap((pattern) => this.byPattern.get(pattern as Pattern) ?? []);
  }
}

function blockFirst(a: ActiveRule, b: ActiveRule): number {
  return Number(a.effect === 'allow') - Number(b.effect === 'allow') || (a.id < b.id ? -1 : 1);
}
