import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { InvalidLimit } from '../http/page.js';
import { Responds } from '../http/responses/response.decorators.js';
import { TopicNotFoundError } from '../topics/errors.js';
import { RuleNotFoundError, TooManyRulesError } from './errors.js';
import { PATTERN_FORMS } from './pattern.js';
import { DeletedRuleDto, PutRuleDto, RuleDto, RuleHistoryPageDto, RulesPageDto } from './rule.dto.js';

/** The requests run as they are, from the top of the page at /docs to its end: the rule is created first and deleted last. */
const RULE_ID = '0198a5f4-1c7d-7b2e-9f40-2a3b4c5d6e7f';
const PATTERN = '*.example.com';
const NOTE = 'They closed their mail server';

const RULE_PARAM = {
  name: 'rule',
  type: String,
  description: 'The id of the rule, or the pattern of a rule for all mail.',
  example: PATTERN,
};

const RULE: RuleDto = {
  object: 'rule',
  id: RULE_ID,
  pattern: PATTERN,
  effect: 'block',
  topic: null,
  note: NOTE,
  expires_at: null,
  created_at: '2026-01-15T09:30:00.000Z',
};

const PUT_BODY = {
  'Block the subdomains of a domain': { value: { pattern: PATTERN, effect: 'block', note: NOTE } },
  'Allow a domain': { value: { pattern: 'example.com', effect: 'allow' } },
  'Block a name at any domain': { value: { pattern: 'abuse@*', effect: 'block' } },
};

const RULES_PAGE: RulesPageDto = { object: 'list', has_more: false, data: [RULE] };

const DELETED: DeletedRuleDto = { object: 'rule', id: RULE_ID, deleted: true };

const HISTORY_PAGE: RuleHistoryPageDto = {
  object: 'list',
  has_more: false,
  data: [
    {
      object: 'rule_change',
      id: '0198a5f4-1c7e-7d10-8a3b-5c6d7e8f9a0b',
      action: 'created',
      rule_id: RULE_ID,
      pattern: PATTERN,
      effect: 'block',
      topic: null,
      note: NOTE,
      expires_at: null,
      actor: { type: 'api_key', id: '0198a5f0-1c2b-7d4e-8f90-1a2b3c4d5e6f', name: 'support desk' },
      created_at: '2026-01-15T09:30:00.000Z',
    },
  ],
};

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
    body: { type: PutRuleDto, examples: PUT_BODY },
    decorators: [
      Responds(HttpStatus.OK, 'The rule replaced the one with this pattern and topic.', RuleDto, RULE),
    ],
    responds: [HttpStatus.CREATED, 'The rule was created.', RuleDto, RULE],
    errors: [ValidationError.withExample('pattern', PATTERN_FORMS), TopicNotFoundError, TooManyRulesError],
  },
  listRules: {
    scope: 'rules:read',
    summary: 'List the rules',
    description: 'Newest first, without expired rules.',
    responds: [HttpStatus.OK, 'A page of the rules.', RulesPageDto, RULES_PAGE],
    errors: [InvalidLimit],
  },
  getRule: {
    scope: 'rules:read',
    summary: 'Get a rule',
    description: 'Finds the rule by its id, or a rule for all mail by its pattern.',
    params: [RULE_PARAM],
    responds: [HttpStatus.OK, 'The rule.', RuleDto, RULE],
    errors: [InvalidRuleRef, RuleNotFoundError],
  },
  deleteRule: {
    scope: 'rules:write',
    summary: 'Delete a rule',
    description: 'It takes effect with the next check. The history of the rule remains.',
    params: [RULE_PARAM],
    responds: [HttpStatus.OK, 'The rule was deleted.', DeletedRuleDto, DELETED],
    errors: [InvalidRuleRef, RuleNotFoundError],
  },
  getRuleHistory: {
    scope: 'rules:read',
    summary: 'Get the history of a rule',
    description:
      'Newest first, even after the rule was deleted. Each element contains the rule as it was after the change.',
    params: [RULE_PARAM],
    responds: [HttpStatus.OK, 'A page of the history.', RuleHistoryPageDto, HISTORY_PAGE],
    errors: [InvalidRuleRef, RuleNotFoundError],
  },
});
