import type { EmailAddress } from '../../src/email-address/email-address.js';
import type { Pattern } from '../../src/rules/pattern.js';
import { RuleSet, rulesByTopic, type ActiveRule } from '../../src/rules/rule-set.js';
import { cpuTimesOf } from '../support/cpu-time.js';

const ADA = 'ada@example.com' as EmailAddress;
/** As many as an account can have. */
const MANY = 10_000;

function rule(n: number, pattern: string, topicId: string | null): ActiveRule {
  return { id: String(n).padStart(5, '0'), pattern: pattern as Pattern, effect: 'block', topicId };
}

function decideForEachTopic(rules: ActiveRule[]): number {
  const rulesFor = rulesByTopic(new RuleSet(rules).matching(ADA));
  return rules.reduce((sum, { topicId }) => sum + rulesFor(topicId).length, 0);
}

describe('the rules of an address', () => {
  it('are those for all mail and those of the topic, the most specific first', () => {
    const rules = [
      rule(1, '*.com', 'news'),
      rule(2, 'example.com', null),
      rule(3, 'ada@*', null),
      rule(4, 'ada@example.com', 'news'),
      rule(5, 'example.com', 'offers'),
    ];
    const rulesFor = rulesByTopic(new RuleSet(rules).matching(ADA));
    const idsFor = (topicId: string | null) => rulesFor(topicId).map(({ id }) => Number(id));
    expect([idsFor('news'), idsFor('offers'), idsFor('other'), idsFor(null)]).toEqual([
      [4, 2, 1, 3],
      [2, 5, 3],
      [2, 3],
      [2, 3],
    ]);
  });

  it('are found as quickly if they have one pattern and a topic each', async () => {
    const samePattern = Array.from({ length: MANY }, (_, n) => rule(n, 'example.com', `topic ${n}`));
    const differentPatterns = samePattern.map((each, n) => ({
      ...each,
      pattern: `${n}.example.com` as Pattern,
    }));
    const { long, short } = await cpuTimesOf(
      () => decideForEachTopic(samePattern),
      () => decideForEachTopic(differentPatterns),
      10,
    );
    expect(long).toBeLessThan(short * 10);
  });
});
