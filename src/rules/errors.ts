import { ApiError } from '../http/errors/api-error.js';

export class RuleNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'rule_not_found';

  constructor() {
    super('No rule has this id, and no rule for all mail has this pattern.');
  }

  static example(): RuleNotFoundError {
    return new RuleNotFoundError();
  }
}

export class TooManyRulesError extends ApiError {
  readonly statusCode = 409;
  override readonly name = 'validation_error';
  readonly code = 'too_many_rules';

  constructor() {
    super('The account has 10,000 rules. Delete one, or suppress single addresses instead.');
  }

  static example(): TooManyRulesError {
    return new TooManyRulesError();
  }
}
