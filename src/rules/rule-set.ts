import { delimitRows, groupBy, undelimitRows, undelimitValues } from '../database/rows.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { patternsMatching, type Pattern } from './pattern.js';
import type { Rule, RuleEffect } from './rule.entity.js';

export type ActiveRule = Pick<Rule, 'id' | 'pattern' | 'effect' | 'topicId'>;

export class RuleSet {
  private readonly byPattern: ReadonlyMap<Pattern, ActiveRule[]>;

  constructor(rules: ActiveRule[]) {
    this.byPattern = groupBy(rules.toSorted(blockFirst), ({ pattern }) => pattern);
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

/**
 * Returns a function that finds the rules for mail about a topic, in their order; null finds those for all mail. An account may
 * have thousands of topics and of rules, so it does not go through all rules for each topic.
 */
export function rulesByTopic(rules: readonly ActiveRule[]): (topicId: string | null) => ActiveRule[] {
  const positioned = rules.map((rule, position) => ({ rule, position }));
  const byTopic = groupBy(positioned, ({ rule }) => rule.topicId);
  const general = byTopic.get(null) ?? [];
  return (topicId) => {
    const special = topicId === null ? [] : (byTopic.get(topicId) ?? []);
    return [...general, ...special]
      .sort((one, other) => one.position - other.position)
      .map(({ rule }) => rule);
  };
}

function blockFirst(a: ActiveRule, b: ActiveRule): number {
  return Number(a.effect === 'allow') - Number(b.effect === 'allow') || (a.id < b.id ? -1 : 1);
}

/** SQL for the addresses in the second parameter of the statement, which `delimitValues` creates. */
const EMAILS = undelimitValues('$2');

/** The columns that {@link toRuleSet} reads. */
export const RULE_COLUMNS: string[] = ['id', 'pattern', 'effect', `coalesce(topic_id::text, '')`];

/** SQL for every pattern that matches one of the addresses: see `patternsMatching`. */
export const MATCHING_PATTERNS: string = `
  WITH checked AS (SELECT email, split_part(email, '@', -1) AS domain FROM unnest(${EMAILS}) AS email),
  labels AS (SELECT string_to_array(domain, '.') AS labels FROM checked GROUP BY domain)
  SELECT email FROM checked
  UNION ALL SELECT array_to_string(labels, '.') FROM labels
  UNION ALL SELECT '*.' || array_to_string(labels[n:], '.') FROM labels, generate_series(2, cardinality(labels)) AS n
  UNION ALL SELECT left(email, -1 - length(domain)) || '@*' FROM checked`;

/**
 * SQL for the rules in force that match one of the addresses. The first parameters of the statement are the account and the
 * addresses. An account without rules costs an index lookup: PostgreSQL evaluates the patterns only if there is a rule.
 *
 * @param topicId - SQL for the topic whose rules also count
 */
export function matchingRules(topicId = 'NULL'): string {
  return `
    SELECT ${delimitRows(RULE_COLUMNS)}
    FROM rules
    WHERE account_id = $1
      AND pattern = ANY (ARRAY (${MATCHING_PATTERNS}))
      AND (topic_id IS NULL OR topic_id = ${topicId})
      AND (expires_at IS NULL OR expires_at > now())
      AND EXISTS (SELECT FROM rules WHERE account_id = $1)`;
}

/** Parses the result of {@link matchingRules}. */
export function toRuleSet(delimited: string | null): RuleSet {
  return new RuleSet(
    undelimitRows([{ delimited }], RULE_COLUMNS, (values, first) => ({
      id: values[first]!,
      pattern: values[first + 1] as Pattern,
      effect: values[first + 2] as RuleEffect,
      topicId: values[first + 3] || null,
    })),
  );
}
