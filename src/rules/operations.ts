import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { pathParam } from '../http/path-param.js';
import { Responds } from '../http/responses/response.decorators.js';
import { TopicNotFoundError } from '../topics/errors.js';
import { RuleNotFoundError, TooManyRulesError } from './errors.js';
import { PATTERN_FORMS } from './pattern.js';
import {
  DeletedRuleDto,
  PutRuleDto,
  RuleDto,
  RuleHistoryPageDto,
  RuleRefPipe,
  RulesPageDto,
} from './rule.dto.js';

/** The requests run as they are, from the top of the page at /docs to its end: the rule is created first and deleted last. */
const PATTERN = '*.example.com';

export const RuleParam = pathParam({
  name: 'rule',
  pipe: RuleRefPipe,
  description: 'The id of the rule, or the pattern of a rule for all mail.',
  example: PATTERN,
  errors: [
    ValidationError.withExample(
      'rule',
      `must be the id of a rule (a UUID) or a pattern: it ${PATTERN_FORMS}`,
    ),
    RuleNotFoundError,
  ],
});

const PUT_BODY = {
  'Block the subdomains of a domain': {
    value: { pattern: PATTERN, effect: 'block', note: 'They closed their mail server' },
  },
  'Allow a domain': { value: { pattern: 'example.com', effect: 'allow' } },
  'Block a name at any domain': { value: { pattern: 'abuse@*', effect: 'block' } },
};

export const operations = operationsOf('Rules', {
  putRule: {
    scope: 'rules:write',
    summary: 'Create or replace a rule',
    description:
      'A rule applies to every address that its pattern matches. An account has one rule for each pattern and topic: a ' +
      'new one replaces the existing one and gets its id. An account has at most 10,000 rules.',
    body: { type: PutRuleDto, examples: PUT_BODY },
    decorators: [Responds(HttpStatus.OK, 'The rule replaced the one with this pattern and topic.', RuleDto)],
    responds: [HttpStatus.CREATED, 'The rule was created.', RuleDto],
    errors: [ValidationError.withExample('pattern', PATTERN_FORMS), TopicNotFoundError, TooManyRulesError],
  },
  listRules: {
    scope: 'rules:read',
    summary: 'List the rules',
    description: 'Newest first, without expired rules.',
    responds: [HttpStatus.OK, 'A page of the rules.', RulesPageDto],
  },
  getRule: {
    scope: 'rules:read',
    summary: 'Get a rule',
    description: 'Finds the rule by its id, or a rule for all mail by its pattern.',
    responds: [HttpStatus.OK, 'The rule.', RuleDto],
  },
  deleteRule: {
    scope: 'rules:write',
    summary: 'Delete a rule',
    description: 'It takes effect with the next check. The history of the rule remains.',
    responds: [HttpStatus.OK, 'The rule was deleted.', DeletedRuleDto],
  },
  getRuleHistory: {
    scope: 'rules:read',
    summary: 'Get the history of a rule',
    description:
      'Newest first, even after the rule was deleted. Each element contains the rule as it was after the change.',
    responds: [HttpStatus.OK, 'A page of the history.', RuleHistoryPageDto],
  },
});
