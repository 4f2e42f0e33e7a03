import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { idParam } from '../http/path-param.js';
import { LiftLinesPageDto, type LiftLineDto } from './dto/lift-line.dto.js';
import { ApplyLiftDto, CreateLiftDto } from './dto/lift-requests.dto.js';
import { LiftDto, LiftsPageDto } from './dto/lift.dto.js';
import {
  ConfirmationRequiredError,
  ConsentRequiredError,
  LiftNotFoundError,
  LiftStatusError,
  TooManyLiftsError,
} from './errors.js';
import { MAX_PLANS } from './lifts.repository.js';

const ID = '0198a5f4-3d4e-7f50-8b6c-7d8e9f0a1b2c';

export const LiftId = idParam('lift', LiftNotFoundError, {
  description: 'The id of the lift.',
  example: ID,
});

const DIAGNOSTIC =
  '550-5.1.1 The email account that you tried to reach does not exist. https://support.google.com/mail/?p=NoSuchUser - gsmtp';

const CREATE_BODY = {
  'An outage': {
    value: {
      cause: 'bounce',
      created_after: '2026-01-15T06:00:00Z',
      created_before: '2026-01-15T12:00:00Z',
      diagnostic: 'account that you tried to reach does not exist',
    },
  },
  'A wrong bulk add': {
    value: {
      cause: 'manual',
      created_after: '2026-01-15T00:00:00Z',
      actor: '0198a5f0-1c2b-7d4e-8f90-1a2b3c4d5e6f',
    },
  },
};

const APPLY_BODY = {
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

const COUNTING: LiftDto = {
  object: 'lift',
  id: ID,
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

const READY: LiftDto = {
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

const APPLYING: LiftDto = { ...READY, status: 'applying', expires_at: null };

const REVERTING: LiftDto = { ...APPLYING, status: 'reverting', applied: 1 };

const PAGE: LiftsPageDto = { object: 'list', has_more: false, data: [{ ...READY, examples: [] }] };

const LINES: LiftLinesPageDto = { object: 'list', has_more: false, cursor: '1', data: [LINE] };

export const operations = operationsOf('Lifts', {
  createLift: {
    scope: 'suppressions:lift',
    summary: 'Count what a lift by query would remove',
    description:
      'Finds the suppressions whose bounce or manual entry was recorded as the conditions say, by the history of the list. Give at ' +
      'least one condition besides the cause. Nothing changes until you apply the lift. Complaints and unsubscribes are never ' +
      `lifted. An account keeps ${MAX_PLANS} plans that were not applied; older ones expire. docs/undo.md has examples.`,
    body: { type: CreateLiftDto, examples: CREATE_BODY },
    responds: [HttpStatus.ACCEPTED, 'The suppressions are being counted.', LiftDto, COUNTING],
    errors: [ValidationError.withExample('cause', 'must be one of bounce, manual'), TooManyLiftsError],
  },
  listLifts: {
    scope: 'suppressions:read',
    summary: 'List the lifts',
    description: 'Newest first.',
    responds: [HttpStatus.OK, 'A page of the lifts.', LiftsPageDto, PAGE],
  },
  getLift: {
    scope: 'suppressions:read',
    summary: 'Get a lift',
    description: 'The counts are updated while the lift is counted, applied, or reverted.',
    responds: [HttpStatus.OK, 'The lift.', LiftDto, READY],
  },
  listLiftLines: {
    scope: 'suppressions:read',
    summary: 'List the suppressions of a lift',
    description:
      'In the order in which their causes were recorded. The lines of a plan that has expired are deleted.',
    responds: [HttpStatus.OK, 'A page of the lines.', LiftLinesPageDto, LINES],
  },
  applyLift: {
    scope: 'suppressions:lift',
    summary: 'Apply a lift',
    description:
      'Lifts what was counted, within 24 hours of the count. Suppressions that have changed since are skipped. Those with other ' +
      'causes stay suppressed for them. Repeating the request returns the lift as it is.',
    body: { type: ApplyLiftDto, required: false, examples: APPLY_BODY },
    responds: [HttpStatus.ACCEPTED, 'The lift will be applied.', LiftDto, APPLYING],
    errors: [
      ValidationError.withExample('confirm', 'must be the count of the lift'),
      ConsentRequiredError,
      LiftStatusError,
      ConfirmationRequiredError,
    ],
  },
  revertLift: {
    scope: 'suppressions:lift',
    summary: 'Revert a lift',
    description:
      'Puts back what the lift removed and is still absent, with its cause and its date, within 30 days. Repeating the request ' +
      'returns the lift as it is.',
    responds: [HttpStatus.ACCEPTED, 'The lift will be reverted.', LiftDto, REVERTING],
    errors: [LiftStatusError],
  },
});
