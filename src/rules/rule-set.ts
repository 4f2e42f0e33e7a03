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
   */
  matching(email: EmailAddress): ActiveRule[] {
    return this.byPattern.size === 0
      ? []
      : patternsMatching(email).flatMap((pattern) => this.byPattern.get(pattern) ?? []);
  }
}

function blockFirst(a: ActiveRule, b: ActiveRule): number {
  return Number(a.effect === 'allow') - Number(b.effect === 'allow') || (a.id < b.id ? -1 : 1);
}
