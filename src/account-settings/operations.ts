import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { exampleOf } from '../http/responses/response.decorators.js';
import { AccountDto, ChangeAccountDto } from './account.dto.js';

const ACCOUNT = exampleOf(AccountDto, { removal: 'open' });

export const operations = operationsOf('Account', {
  getAccount: {
    scope: 'account:read',
    summary: 'Get the account and its settings',
    description: 'Returns the account that the API key belongs to. Every key may read it.',
    responds: [HttpStatus.OK, 'The account.', AccountDto, ACCOUNT],
  },
  changeAccount: {
    scope: 'account:write',
    summary: 'Change the settings of the account',
    description:
      'Changes only the settings that are in the request. Existing suppressions keep their expiry.',
    body: {
      type: ChangeAccountDto,
      examples: {
        'Let bounces expire': { value: { bounce_expiry: ['7d', '30d', '180d'] } },
        'Keep events for a month': { value: { inbox_retention: '30d' } },
        'Hold bounces in incidents': { value: { incident_guard: 'hold' } },
        'Guard removals': { value: { removal: 'guarded' } },
        'Let transactional mail pass complaints': { value: { complaint_reach: 'marketing' } },
      },
    },
    responds: [HttpStatus.OK, 'The account after the change.', AccountDto, ACCOUNT],
    errors: [ValidationError.withExample('removal', 'must be one of open, guarded')],
  },
});
