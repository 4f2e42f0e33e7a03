import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { ValidationError } from '../http/errors/errors.js';
import { InvalidLimit } from '../http/page.js';
import { Responds } from '../http/responses/response.decorators.js';
import { AddDto } from './dto/add.dto.js';
import { HistoryPageDto } from './dto/history.dto.js';
import { ListPageDto } from './dto/list.dto.js';
import { RemovedDto, RemoveDto } from './dto/remove.dto.js';
import { SuppressionIdDto, SuppressionWithCausesDto, type SuppressionDto } from './dto/suppression.dto.js';
import {
  CauseNotFoundError,
  HistoryNotFoundError,
  RemovalNotAllowedError,
  SuppressionNotFoundError,
} from './errors.js';
import { InvalidSuppressionRef } from './suppression-ref.js';

/*
 * The examples in the API documentation. "Try it out" works with them unchanged from the top of the page to the bottom: an
 * address is added before it is read, and read before it is removed.
 */
export const ADA = 'ada@example.com' as EmailAddress;
export const GRACE = 'grace@example.com' as EmailAddress;
export const ADA_ID = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';
export const GRACE_ID = '0198a5f2-6d1c-7d52-8c0b-5e6f7a8b9c0d';
const KEY = { type: 'api_key', id: '0198a5f0-1c2b-7d4e-8f90-1a2b3c4d5e6f', name: 'support desk' } as const;

const SUPPRESSION_ID: SuppressionIdDto = { object: 'suppression', id: ADA_ID };

export const SUPPRESSION: SuppressionDto = {
  ...SUPPRESSION_ID,
  email: ADA,
  origin: 'manual',
  source_id: null,
  created_at: '2026-01-15T09:30:00.000Z',
};

const REF_PARAM = {
  name: 'suppression',
  type: String,
  description: 'The id or the address of the suppression.',
  example: ADA,
};

const ADD_BODY = {
  'One address': { value: { email: ADA, note: 'Asked on the phone' } },
  'Without a note': { value: { email: ADA } },
  'For a while': { value: { email: ADA, note: 'On leave', expires_at: '2999-12-31T00:00:00Z' } },
};

const LIST_PAGE: Omit<ListPageDto, 'writeJson'> = {
  object: 'list',
  has_more: false,
  data: [
    {
      object: 'suppression',
      id: GRACE_ID,
      email: GRACE,
      origin: 'bounce',
      source_id: '0198a5ee-40b1-7f6a-9b3c-2d4e6f8a0b1c',
      created_at: '2026-01-15T09:31:00.000Z',
    },
    SUPPRESSION,
  ],
};

const REMOVE_BODY = {
  'With a note': { value: { note: 'Asked to be mailed again' } },
  'With a consent, for an account that guards removals': {
    value: { consent: { kind: 'recipient_request', reference: 'Support case 4711' } },
  },
  'Without a note': { value: {} },
};

const REMOVED: RemovedDto = { ...SUPPRESSION_ID, deleted: true };

const ADDED: HistoryPageDto['data'][number] = {
  object: 'change',
  id: '0198a5f2-6d1d-7a10-8b22-9d0c4e5f6a7b',
  action: 'added',
  suppression_id: ADA_ID,
  topic: null,
  email: ADA,
  cause: 'manual',
  origin: 'manual',
  source_id: null,
  actor: KEY,
  note: 'Asked on the phone',
  evidence: null,
  lift_id: null,
  expires_at: null,
  event_id: null,
  occurred_at: null,
  created_at: '2026-01-15T09:30:00.000Z',
};

const HISTORY_PAGE: HistoryPageDto = {
  object: 'list',
  has_more: false,
  data: [
    {
      ...ADDED,
      id: '0198a6c1-09f3-7e21-b7a4-6c8d0e2f4a5b',
      action: 'removed',
      note: 'Asked to be mailed again',
      created_at: '2026-01-15T13:15:40.000Z',
    },
    ADDED,
  ],
};

export const operations = operationsOf('Suppressions', {
  addSuppression: {
    scope: 'suppressions:write',
    summary: 'Add an address',
    description:
      'Suppresses an address by hand: its cause is `manual`. An address that is already suppressed keeps its id. If it ' +
      'is already suppressed by hand for at least as long, nothing changes, and the `note` is not stored. To report ' +
      'bounces, complaints, and unsubscribes, use `POST /events`.',
    body: { type: AddDto, examples: ADD_BODY },
    decorators: [
      Responds(
        HttpStatus.OK,
        'The address was already suppressed. The response contains its existing id.',
        SuppressionIdDto,
        SUPPRESSION_ID,
      ),
    ],
    responds: [HttpStatus.CREATED, 'The address was added.', SuppressionIdDto, SUPPRESSION_ID],
    errors: [ValidationError.withExample('email', 'must contain an @')],
  },
  listSuppressions: {
    scope: 'suppressions:read',
    summary: 'List suppressions',
    description:
      'Newest first. For the next page, pass the last id of a page as `after`. Every record that exists from the first ' +
      'page to the last appears exactly once, even if others are added or removed meanwhile. To poll for new ' +
      'suppressions with `before`, pass an id that is a few seconds old, because suppressions that are added at the ' +
      'same time may appear in any order.',
    responds: [HttpStatus.OK, 'A page of the list.', ListPageDto, LIST_PAGE],
    errors: [InvalidLimit],
  },
  getSuppression: {
    scope: 'suppressions:read',
    summary: 'Get a suppression',
    description: 'Finds the suppression by its id or by its percent-encoded address.',
    params: [REF_PARAM],
    responds: [HttpStatus.OK, 'The address is suppressed.', SuppressionWithCausesDto, SUPPRESSION],
    errors: [InvalidSuppressionRef, SuppressionNotFoundError],
  },
  removeSuppression: {
    scope: 'suppressions:write',
    summary: 'Remove a suppression',
    description:
      'Allows mail to the address again. Its history remains. With `cause`, only that cause is removed, and the ' +
      'suppression remains if it has others. An account can guard removals: see `consent`.',
    params: [REF_PARAM],
    body: { type: RemoveDto, required: false, examples: REMOVE_BODY },
    responds: [HttpStatus.OK, 'The suppression was removed.', RemovedDto, REMOVED],
    errors: [InvalidSuppressionRef, SuppressionNotFoundError, CauseNotFoundError, RemovalNotAllowedError],
  },
  getSuppressionHistory: {
    scope: 'suppressions:read',
    summary: 'Get the history of an address',
    description:
      'Returns every change of the address, newest first. Pass the address, or any id that a suppression of it has ' +
      'had. The history remains after a removal.',
    params: [REF_PARAM],
    responds: [HttpStatus.OK, 'A page of the history.', HistoryPageDto, HISTORY_PAGE],
    errors: [
      InvalidSuppressionRef,
      ValidationError.withExample('after', 'must be the id of a change in this history'),
      HistoryNotFoundError,
    ],
  },
});
