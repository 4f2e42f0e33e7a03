import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
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
