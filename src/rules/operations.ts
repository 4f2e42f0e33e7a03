import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { TopicNotFoundError } from '../topics/errors.js';
import { PutRuleDto } from './dto/put-rule.dto.js';
import { RuleHistoryPageDto } from './dto/rule-history.dto.js';
import { DeletedRuleDto, RuleDto, RulesPageDto } from './dto/rule.dto.js';
import { RuleNotFoundError, TooManyRulesError } from './errors.js';
import * as examples from './examples.js';
import { PATTERN_FORMS } from './pattern.js';

const InvalidRuleRef = ValidationError.withExample(
  'rule',
  `must be the id of a rule (a UUID) or a pattern: ${PATTERN_FORMS}`,
);

export const operations = operationsOf('Rules', {
  putRule: {
    scope: 'rules:write',
    summary: 'Create or replace a rule',
    description:
      'A rule applies to every address that its pattern matches. An account has one rule for each pattern and topic: a ' +
      'new one replaces the existing one and gets its id. An account has at most 10,000 rules.',
    body: { type: PutRuleDto, examples: examples.PUT_BODY },
    decorators: [
      Responds(
        HttpStatus.OK,
        'The rule replaced the one with this pattern and topic.',
        RuleDto,
        examples.RULE,
      ),
    ],
    responds: [HttpStatus.CREATED, 'The rule was created.', RuleDto, examples.RULE],
    errors: [ValidationError.withExample('pattern', PATTERN_FORMS), TopicNotFoundError, TooManyRulesError],
  },
  listRules: {
    scope: 'rules:read',
    summary: 'List the rules',
    description: 'Newest first, without expired rules.',
    responds: [HttpStatus.OK, 'A page of the rules.', RulesPageDto, examples.RULES_PAGE],
    errors: [ValidationError.withExample('limit', 'must be a whole number from 1 to 100')],
  },
  getRule: {
    scope: 'rules:read',
    summary: 'Get a rule',
    description: 'Finds the rule by its id, or a rule for all mail by its pattern.',
    params: [examples.RULE_PARAM],
    responds: [HttpStatus.OK, 'The rule.', RuleDto, examples.RULE],
    errors: [InvalidRuleRef, RuleNotFoundError],
  },
  deleteRule: {
    scope: 'rules:write',
    summary: 'Delete a rule',
    description: 'It takes effect with the next check. The history of the rule remains.',
    params: [examples.RULE_PARAM],
    responds: [HttpStatus.OK, 'The rule was deleted.', DeletedRuleDto, examples.DELETED],
    errors: [InvalidRuleRef, RuleNotFoundError],
  },
  getRuleHistory: {
    scope: 'rules:read',
    summary: 'Get the history of a rule',
    description:
      'Newest first, even after the rule was deleted. Each element contains the rule as it was after the change.',
    params: [examples.RULE_PARAM],
    responds: [HttpStatus.OK, 'A page of the history.', RuleHistoryPageDto, examples.HISTORY_PAGE],
    errors: [InvalidRuleRef, RuleNotFoundError],
  },
});
