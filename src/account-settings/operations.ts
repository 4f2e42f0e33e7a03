import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { AccountDto, ChangeAccountDto } from './account.dto.js';

const ACCOUNT: AccountDto = {
  object: 'account',
  name: 'acme',
  removal: 'open',
  complaint_reach: 'all',
  bounce_expiry: ['7d', '30d', '180d'],
  inbox_retention: '30d',
  incident_guard: 'alert',
  incident_min_addresses: 50,
  incident_min_share: 0.1,
  rules_version: '0d6c3a0e-8f5b-4c59-9d2e-6a1f7b3c4d5e',
  kept_blocks_version: null,
  created_at: '2026-01-15T09:30:00.000Z',
};

export function GetAccount(): MethodDecorator {
  return applyDecorators(
    RequireScope('account:read'),
    ApiTags('Account'),
    ApiOperation({
      operationId: 'getAccount',
      summary: 'Get the account and its settings',
      description: 'Returns the account that the API key belongs to. Every key may read it.',
    }),
    Responds(HttpStatus.OK, 'The account.', AccountDto, ACCOUNT),
  );
}

export function ChangeAccount(): MethodDecorator {
  return applyDecorators(
    RequireScope('account:write'),
    ApiTags('Account'),
    ApiOperation({
      operationId: 'changeAccount',
      summary: 'Change the settings of the account',
      description:
        'Changes only the settings that are in the request. Existing suppressions keep their expiry.',
    }),
    ApiBody({
      type: ChangeAccountDto,
      examples: {
        'Let bounces expire': { value: { bounce_expiry: ['7d', '30d', '180d'] } },
        'Keep events for a month': { value: { inbox_retention: '30d' } },
        'Hold bounces in incidents': { value: { incident_guard: 'hold' } },
        'Guard removals': { value: { removal: 'guarded' } },
        'Let transactional mail pass complaints': { value: { complaint_reach: 'marketing' } },
      },
    }),
    Responds(HttpStatus.OK, 'The account after the change.', AccountDto, ACCOUNT),
    ApiErrors(ValidationError.withExample('removal', 'must be one of open, guarded')),
  );
}
