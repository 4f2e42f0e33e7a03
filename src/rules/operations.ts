import { applyDecorators, HttpCode, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
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
    ApiResponse({
      status: HttpStatus.CREATED,
      description: 'The rule was created.',
      type: RuleDto,
      example: examples.RULE,
    }),
    ApiResponse({
      status: HttpStatus.OK,
      description: 'The rule replaced the one with this pattern and topic.',
      type: RuleDto,
      example: examples.RULE,
    }),
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
      description: 'Newest first, without those that have expired.',
    }),
    ApiResponse({
      status: HttpStatus.OK,
      description: 'A page of the rules.',
      type: RulesPageDto,
      example: examples.RULES_PAGE,
    }),
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
    ApiResponse({ status: HttpStatus.OK, description: 'The rule.', type: RuleDto, example: examples.RULE }),
    ApiErrors(InvalidRuleRef, RuleNotFoundError),
  );
}

export function DeleteRule(): MethodDecorator {
  return applyDecorators(
    HttpCode(HttpStatus.OK),
    RequireScope('rules:write'),
    ApiTags('Rules'),
    ApiOperation({
      operationId: 'deleteRule',
      summary: 'Delete a rule',
      description: 'It takes effect with the next check. The history of the rule remains.',
    }),
    ApiParam(examples.RULE_PARAM),
    ApiResponse({
      status: HttpStatus.OK,
      description: 'The rule was deleted.',
      type: DeletedRuleDto,
      example: examples.DELETED,
    }),
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
    ApiResponse({
      status: HttpStatus.OK,
      description: 'A page of the history.',
      type: RuleHistoryPageDto,
      example: examples.HISTORY_PAGE,
    }),
    ApiErrors(InvalidRuleRef, RuleNotFoundError),
  );
}
