import { exampleOf } from '../http/responses/response.decorators.js';
import { LineDto, LinesPageDto } from './dto/line.dto.js';
import type { ListTestDto } from './dto/list-test.dto.js';
import { CountsDto, PlanDto, PlansPageDto } from './dto/plan.dto.js';
import { ProviderListDto, ProviderListsPageDto } from './dto/provider-list.dto.js';

/** The requests run as they are, from the top of the page at /docs to its end: the plan and the list are deleted last. */
export const LIST = exampleOf(ProviderListDto, { counts: null, next_plan_at: '2026-01-16T09:30:00.000Z' });

export const LISTS_PAGE = exampleOf(ProviderListsPageDto, { data: [LIST] });

export const CREATE_BODY = {
  'Amazon SES': {
    value: {
      provider: 'ses',
      name: 'SES in Ireland',
      scope: { region: 'eu-west-1' },
      credentials: { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI/K7MDENG' },
    },
  },
  Mailgun: {
    value: {
      provider: 'mailgun',
      name: 'Mailgun',
      scope: { domain: 'mg.example.com', region: 'eu' },
      credentials: { api_key: 'key-3ax6xnjp29jd6fds4gc373sgvjxteol0' },
      pull: true,
      interval: '6h',
    },
  },
};

export const UPDATE_BODY = {
  'Other credentials': {
    value: { credentials: { access_key_id: 'AKIDEXAMPLE2', secret_access_key: 'wJalrXUtnFEMI/K7MDENG' } },
  },
  'Pull at the interval': { value: { pull: true } },
};

export const TEST: ListTestDto = {
  object: 'provider_list_test',
  ok: true,
  permissions: [
    { name: 'ses:ListSuppressedDestinations', allowed: true, reason: null },
    {
      name: 'ses:PutSuppressedDestination',
      allowed: null,
      reason:
        'Only a change would show it. The call that needs it: ' +
        'https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_PutSuppressedDestination.html',
    },
  ],
  reason: null,
};

export const READY_PLAN = exampleOf(PlanDto, {
  status: 'ready',
  entries: 114,
  counts: new CountsDto({ pull: 2, agreed: 112 }),
  seconds: 1,
});

export const PLANS_PAGE = exampleOf(PlansPageDto, { data: [READY_PLAN] });

export const LINES_PAGE = exampleOf(LinesPageDto, {
  data: [exampleOf(LineDto, { list: 'suppressions', listed_at: '2026-01-14T17:05:00.000Z' })],
});

export const APPLY_BODY = {
  'As it is': { value: {} },
  'Although it stopped': { value: { accept_stop: true } },
};

export const REMOVALS_BODY = {
  'One address': {
    value: {
      emails: ['new-customer@example.com'],
      consent: { kind: 'recipient_request', reference: 'Support case 4711' },
    },
  },
};

export const REMOVALS = {
  object: 'list',
  data: [
    {
      object: 'provider_list_removal',
      email: 'new-customer@example.com',
      status: 'queued',
      lists: ['suppressions'],
    },
  ],
};

export const PUSHES_PAGE = { object: 'list', has_more: false, data: [], cursor: null };

export const RETRY = { object: 'provider_list_retry', retried: 0 };
