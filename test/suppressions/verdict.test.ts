import fc from 'fast-check';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { CAUSES, type Cause } from '../../src/ledger/cause.js';
import type { Pattern } from '../../src/rules/pattern.js';
import { RuleSet, type ActiveRule } from '../../src/rules/rule-set.js';
import { matchesFor, type Facts, type Match, type Purpose } from '../../src/suppressions/verdict.js';
import { SUBSCRIPTIONS, type Subscription } from '../../src/topics/topic.entity.js';

const ADA = 'ada@eu.example.com' as EmailAddress;
const TOPIC = 'topic';

const PURPOSES: Record<string, Purpose> = {
  any: { type: 'any' },
  'a topic': { type: 'topic', topicId: TOPIC, defaultSubscription: 'opt_in' },
  'a topic that needs an opt-in': { type: 'topic', topicId: TOPIC, defaultSubscription: 'opt_out' },
  transactional: { type: 'transactional', complaintReach: 'all' },
  'transactional, which complaints do not reach': { type: 'transactional', complaintReach: 'marketing' },
};

const CAUSE_SETS = Array.from({ length: 2 ** CAUSES.length }, (_, mask) =>
  CAUSES.filter((_cause, bit) => mask & (1 << bit)),
);

function rule(pattern: string, effect: 'allow' | 'block', topicId: string | null = null): ActiveRule {
  return { id: `${effect} ${pattern} ${topicId}`, pattern: pattern as Pattern, effect, topicId };
}

const RULE_SETS: Record<string, ActiveRule[]> = {
  'no rule': [],
  'allow the address': [rule(ADA, 'allow')],
  'block the address': [rule(ADA, 'block')],
  'allow the domain': [rule('eu.example.com', 'allow')],
  'block the domain': [rule('eu.example.com', 'block')],
  'allow the name': [rule('ada@*', 'allow')],
  'block the name': [rule('ada@*', 'block')],
  'allow the address, block the domain': [rule(ADA, 'allow'), rule('eu.example.com', 'block')],
  'allow the domain, block the domain above': [
    rule('eu.example.com', 'allow'),
    rule('*.example.com', 'block'),
  ],
  'block the domain, allow the domain above': [
    rule('eu.example.com', 'block'),
    rule('*.example.com', 'allow'),
  ],
  'allow the domain above, block the name': [rule('*.com', 'allow'), rule('ada@*', 'block')],
  'allow the domain, block it for the topic': [
    rule('eu.example.com', 'allow'),
    rule('eu.example.com', 'block', TOPIC),
  ],
  'block the domain, allow it for the topic': [
    rule('eu.example.com', 'block'),
    rule('eu.example.com', 'allow', TOPIC),
  ],
  'rules for others': [
    rule('example.com', 'block'),
    rule('*.eu.example.com', 'block'),
    rule('eve@*', 'block'),
  ],
};

function factsOf(causes: readonly Cause[], preference: Subscription | null, rules: ActiveRule[]): Facts {
  const record = causes.length > 0 ? { id: 'record', causes } : null;
  return { record, preference, rules: new RuleSet(rules).matching(ADA) };
}

/** The rules that the lookup returns for a purpose. */
function forPurpose(rules: ActiveRule[], purpose: Purpose): ActiveRule[] {
  return rules.filter(({ topicId }) => topicId === null || purpose.type === 'topic');
}

/** The table of the design, read aloud: slow, and without a clever line. */
function obviousVerdict(
  causes: readonly Cause[],
  preference: Subscription | null,
  rules: ActiveRule[],
  purpose: Purpose,
): string {
  const forEveryMail = purpose.type !== 'transactional';
  const isComplaintPassed = purpose.type === 'transactional' && purpose.complaintReach === 'marketing';
  if (causes.includes('complaint') && !isComplaintPassed) return 'suppression complaint';
  if (causes.includes('unsubscribe') && forEveryMail) return 'suppression unsubscribe';
  if (purpose.type === 'topic' && preference === 'opt_out') return 'preference';
  if (purpose.type === 'topic' && preference === null && purpose.defaultSubscription === 'opt_out') {
    return 'topic_default';
  }
  if (causes.includes('manual')) return 'suppression manual';
  const effectOf = (pattern: string) => {
    const effects = forPurpose(rules, purpose)
      .filter((one) => String(one.pattern) === pattern)
      .map(({ effect }) => effect);
    return effects.includes('block') ? 'block' : effects[0];
  };
  const exact = effectOf(ADA);
  if (exact) return `rule ${exact}`;
  const general = ['eu.example.com', '*.example.com', '*.com', 'ada@*'].map(effectOf).find(Boolean);
  if (general === 'allow') return 'rule allow';
  if (causes.includes('bounce')) return 'suppression bounce';
  if (general === 'block') return 'rule block';
  return 'nothing';
}

function describeMatch(match: Match | undefined): string {
  if (!match) return 'nothing';
  return `${match.type} ${'cause' in match ? match.cause : 'effect' in match ? match.effect : ''}`.trim();
}

describe('the verdict', () => {
  const cases = CAUSE_SETS.flatMap((causes) =>
    [null, ...SUBSCRIPTIONS].flatMap((preference) =>
      Object.entries(RULE_SETS).flatMap(([ruleSet, rules]) =>
        Object.entries(PURPOSES).map(([name, purpose]) => ({
          causes,
          preference,
          ruleSet,
          rules,
          name,
          purpose,
        })),
      ),
    ),
  );

  it(`is that of the table for all ${cases.length} combinations`, () => {
    for (const { causes, preference, ruleSet, rules, name, purpose } of cases) {
      const facts = factsOf(causes, preference, forPurpose(rules, purpose));
      const [deciding] = matchesFor(ADA, facts, purpose);
      const described = { causes, preference, ruleSet, name };
      expect({ ...described, decidedBy: describeMatch(deciding) }).toEqual({
        ...described,
        decidedBy: obviousVerdict(causes, preference, rules, purpose),
      });
    }
  });

  it.each<[string, readonly Cause[], Subscription | null, string, string, string[]]>([
    ['a bounce ends all mail', ['bounce'], null, 'no rule', 'transactional', ['bounce']],
    ['an unsubscribe lets a password reset through', ['unsubscribe'], null, 'no rule', 'transactional', []],
    [
      'a bounced address that unsubscribed gets no password reset',
      ['bounce', 'unsubscribe'],
      null,
      'no rule',
      'transactional',
      ['bounce'],
    ],
    ['an opt-out stops its topic', [], 'opt_out', 'no rule', 'a topic', ['preference']],
    ['and no other mail', [], 'opt_out', 'no rule', 'any', []],
    [
      'an allow rule protects against a bounce',
      ['bounce'],
      null,
      'allow the domain',
      'any',
      ['allow', 'bounce'],
    ],
    [
      'but not against a person',
      ['bounce', 'manual', 'complaint'],
      'opt_out',
      'allow the address',
      'a topic',
      ['complaint', 'preference', 'manual', 'allow', 'bounce'],
    ],
    [
      'overridden rules come last',
      ['bounce'],
      null,
      'block the domain, allow the domain above',
      'any',
      ['bounce', 'block', 'allow'],
    ],
  ])('%s', (_sentence, causes, preference, ruleSet, purpose, expected) => {
    const matches = matchesFor(ADA, factsOf(causes, preference, RULE_SETS[ruleSet]!), PURPOSES[purpose]!);
    const words = matches.map((match) => describeMatch(match).split(' ').at(-1));
    expect(words).toEqual(expected);
  });

  it('is that of the table for any set of rules', () => {
    const pattern = fc.constantFrom(
      ADA,
      'eu.example.com',
      '*.example.com',
      '*.com',
      'ada@*',
      'example.com',
      '*.org',
    );
    const anyRule = fc
      .tuple(pattern, fc.constantFrom('allow' as const, 'block' as const), fc.constantFrom(null, TOPIC))
      .map(([text, effect, topicId]) => rule(text, effect, topicId));
    const rules = fc.uniqueArray(anyRule, {
      selector: ({ pattern: text, topicId }) => `${text} ${topicId}`,
      maxLength: 10,
    });
    fc.assert(
      fc.property(
        fc.subarray([...CAUSES]),
        fc.constantFrom(null, ...SUBSCRIPTIONS),
        rules,
        fc.constantFrom(...Object.values(PURPOSES)),
        (causes, preference, all, purpose) => {
          const facts = factsOf(causes, preference, forPurpose(all, purpose));
          const matches = matchesFor(ADA, facts, purpose);
          expect(describeMatch(matches[0])).toBe(obviousVerdict(causes, preference, all, purpose));
          expect(new Set(matches.map((match) => JSON.stringify(match))).size).toBe(matches.length);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
