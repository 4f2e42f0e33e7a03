import type { LiftDto, LiftsPageDto } from './dto/lift.dto.js';
import type { LiftLineDto, LiftLinesPageDto } from './dto/lift-line.dto.js';

export const LIFT_PARAM = {
  name: 'lift',
  type: String,
  description: 'The id of the lift.',
  example: '0198a5f4-3d4e-7f50-8b6c-7d8e9f0a1b2c',
};

const DIAGNOSTIC =
  '550-5.1.1 The email account that you tried to reach does not exist. https://support.google.com/mail/?p=NoSuchUser - gsmtp';

export const CREATE_BODY = {
  'An outage': {
    value: {
      cause: 'bounce',
      created_after: '2026-01-15T06:00:00Z',
      created_before: '2026-01-15T12:00:00Z',
      diagnostic: 'account that you tried to reach does not exist',
    },
  },
  'A wrong bulk add': {
    value: { cause: 'manual', created_after: '2026-01-15', actor: '0198a5f0-1c2b-7d4e-8f90-1a2b3c4d5e6f' },
  },
};

export const APPLY_BODY = {
  'A small lift': { value: {} },
  'A large one, in an account that guards removals': {
    value: { confirm: 20_000, consent: { kind: 'our_error', reference: 'Outage of 15 January, case 4711' } },
  },
};

const LINE: LiftLineDto = {
  email: 'ada@example.com',
  cause: 'bounce',
  created_at: '2026-01-15T07:12:09.000Z',
  diagnostic: DIAGNOSTIC,
  status: 'planned',
  reason: null,
};

export const COUNTING: LiftDto = {
  object: 'lift',
  id: LIFT_PARAM.example,
  status: 'counting',
  cause: 'bounce',
  created_after: '2026-01-15T06:00:00.000Z',
  created_before: '2026-01-15T12:00:00.000Z',
  domains: null,
  source: null,
  actor: null,
  diagnostic: 'account that you tried to reach does not exist',
  count: 0,
  by_domain: [],
  by_diagnostic: [],
  examples: [],
  failed_again: 0,
  delivered_before: 0,
  applied: 0,
  skipped: 0,
  reverted: 0,
  error: null,
  created_at: '2026-01-15T13:00:00.000Z',
  expires_at: null,
  revertible_until: null,
};

export const READY: LiftDto = {
  ...COUNTING,
  status: 'ready',
  count: 1,
  by_domain: [{ domain: 'example.com', count: 1 }],
  by_diagnostic: [
    {
      diagnostic: 'The email account that you tried to reach does not exist mail p NoSuchUser gsmtp',
      count: 1,
    },
  ],
  examples: [LINE],
  delivered_before: 1,
  expires_at: '2026-01-16T13:00:01.000Z',
};

export const APPLYING: LiftDto = { ...READY, status: 'applying', expires_at: null };

export const REVERTING: LiftDto = { ...APPLYING, status: 'reverting', applied: 1 };

export const PAGE: LiftsPageDto = { object: 'list', has_more: false, data: [{ ...READY, examples: [] }] };

export const LINES: LiftLinesPageDto = { object: 'list', has_more: false, cursor: '1', data: [LINE] };
