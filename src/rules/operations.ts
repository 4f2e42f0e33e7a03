import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
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

export function PutRule(): MethodDecorator {
  return applyDecorators(
    RequireScope('rules:write'),
    ApiTags('Rules'),
    ApiOperation({
      operationId: 'putRule',
      summary: 'Create or replace a rule',
      description:
        'A rule applies to every address that its pattern matches. An account has one rule for each pattern and topic: a ' +
        'new one replaces the existing one and gets its id. An account has at most 10,000 rules.',
    }),
    ApiBody({ type: PutRuleDto, examples: examples.PUT_BODY }),
    Responds(HttpStatus.CREATED, 'The rule was created.', RuleDto, examples.RULE),
    Responds(HttpStatus.OK, 'The rule replaced the one with this pattern and topic.', RuleDto, examples.RULE),
    ApiErrors(ValidationError.withExample('pattern', PATTERN_FORMS), TopicNotFoundError, TooManyRulesError),
  );
}

export function ListRules(): MethodDecorator {
  return applyDecorators(
    RequireScope('rules:read'),
    ApiTags('Rules'),
    ApiOperation({
      operationId: 'listRules',
      summary: 'List the rules',
      description: 'Newest first, without expired rules.',
    }),
    Responds(HttpStatus.OK, 'A page of the rules.', RulesPageDto, examples.RULES_PAGE),
    ApiErrors(ValidationError.withExample('limit', 'must be a whole number from 1 to 100')),
  );
}

export function GetRule(): MethodDecorator {
  return applyDecorators(
    RequireScope('rules:read'),
    ApiTags('Rules'),
    ApiOperation({
      operationId: 'getRule',
      summary: 'Get a rule',
      description: 'Finds the rule by its id, or a rule for all mail by its pattern.',
    }),
    ApiParam(examples.RULE_PARAM),
    Responds(HttpStatus.OK, 'The rule.', RuleDto, examples.RULE),
    ApiErrors(InvalidRuleRef, RuleNotFoundError),
  );
}

export function DeleteRule(): MethodDecorator {
  return applyDecorators(
    RequireScope('rules:write'),
    ApiTags('Rules'),
    ApiOperation({
      operationId: 'deleteRule',
      summary: 'Delete a rule',
      description: 'It takes effect with the next check. The history of the rule remains.',
    }),
    ApiParam(examples.RULE_PARAM),
    Responds(HttpStatus.OK, 'The rule was deleted.', DeletedRuleDto, examples.DELETED),
    ApiErrors(InvalidRuleRef, RuleNotFoundError),
  );
}

export function GetRuleHistory(): MethodDecorator {
  return applyDecorators(
    RequireScope('rules:read'),
    ApiTags('Rules'),
    ApiOperation({
      operationId: 'getRuleHistory',
      summary: 'Get the history of a rule',
      description:
        'Newest first, even after the rule was deleted. Each element contains the rule as it was after the change.',
    }),
    ApiParam(examples.RULE_PARAM),
    Responds(HttpStatus.OK, 'A page of the history.', RuleHistoryPageDto, examples.HISTORY_PAGE),
    ApiErrors(InvalidRuleRef, RuleNotFoundError),
  );
}
