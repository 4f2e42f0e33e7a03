import { apiError } from '../http/errors/api-error.js';

/**
 * The account has no such rule, or the rule has expired.
 *
 * A rule that is limited to a topic can be found only by its id. `GET /rules` lists the rules.
 */
export class RuleNotFoundError extends apiError(
  404,
  'rule_not_found',
  'No rule has this id, and no rule for all mail has this pattern.',
) {}

/**
 * The account has 10,000 rules already.
 *
 * Nothing was created. You can still replace rules. Use rules for domains and local parts, and suppress single addresses
 * instead.
 */
export class TooManyRulesError extends apiError(
  409,
  'too_many_rules',
  'The account has 10,000 rules. Delete one, or suppress single addresses instead.',
) {}
