import type { RuleHistoryPageDto } from './dto/rule-history.dto.js';
import type { DeletedRuleDto, RuleDto, RulesPageDto } from './dto/rule.dto.js';

/** The requests run as they are, from the top of the page at /docs to its end: the rule is created first and deleted last. */
const RULE_ID = '0198a5f4-1c7d-7b2e-9f40-2a3b4c5d6e7f';
const PATTERN = '*.example.com';
const NOTE = 'They closed their mail server';

export const RULE_PARAM = {
  name: 'rule',
  type: String,
  description: 'The id of the rule, or the pattern of a rule for all mail.',
  example: PATTERN,
};

export const RULE: RuleDto = {
  object: 'rule',
  id: RULE_ID,
  pattern: PATTERN,
  effect: 'block',
  topic: null,
  note: NOTE,
  expires_at: null,
  created_at: '2026-01-15T09:30:00.000Z',
};

export const PUT_BODY = {
  'Block the subdomains of a domain': { value: { pattern: PATTERN, effect: 'block', note: NOTE } },
  'Allow a domain': { value: { pattern: 'example.com', effect: 'allow' } },
  'Block a name at any domain': { value: { pattern: 'abuse@*', effect: 'block' } },
};

export const RULES_PAGE: RulesPageDto = { object: 'list', has_more: false, data: [RULE] };

export const DELETED: DeletedRuleDto = { object: 'rule', id: RULE_ID, deleted: true };

export const HISTORY_PAGE: RuleHistoryPageDto = {
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
