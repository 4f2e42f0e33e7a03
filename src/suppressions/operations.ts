import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { pathParam } from '../http/path-param.js';
import { exampleOf, Responds } from '../http/responses/response.decorators.js';
import { CursorGoneError } from '../ledger/feed-position.js';
import { TopicNotFoundError } from '../topics/errors.js';
import {
  UnsubscribeLinksUnavailableError,
  UnsubscribeMailboxMissingError,
} from '../unsubscribe-links/errors.js';
import { AddDto, BatchAddDto, BatchAddedDto } from './dto/add.dto.js';
import { CheckDto } from './dto/check.dto.js';
import { CheckedDto } from './dto/checked.dto.js';
import { HistoryPageDto } from './dto/history.dto.js';
import { ListPageDto } from './dto/list.dto.js';
import { BatchRemovedDto, BatchRemoveDto, RemovedDto, RemoveDto } from './dto/remove.dto.js';
import { SuppressionDto, SuppressionIdDto, SuppressionWithCausesDto } from './dto/suppression.dto.js';
import {
  CauseNotFoundError,
  HistoryNotFoundError,
  RemovalNotAllowedError,
  SuppressionNotFoundError,
} from './errors.js';
import { InvalidSuppressionRef, SuppressionRefPipe } from './suppression-ref.js';

/*
 * The examples in the API documentation. "Try it out" works with them unchanged from the top of the page to the bottom: an
 * address is added before it is read, and read before it is removed.
 */
export const ADA = 'ada@example.com';
const GRACE = 'grace@example.com';
const GRACE_ID = '0198a5f2-6d1c-7d52-8c0b-5e6f7a8b9c0d';
const SUPPRESSION = exampleOf(SuppressionDto);
const IDS = [SUPPRESSION.id, GRACE_ID];

export const RefParam = pathParam({
  name: 'suppression',
  pipe: SuppressionRefPipe,
  description: 'The id or the address of the suppression.',
  example: ADA,
  errors: [InvalidSuppressionRef],
});

const ADD_BODY = {
  'One address': { value: { email: ADA, note: 'Asked on the phone' } },
  'Without a note': { value: { email: ADA } },
  'For a while': { value: { email: ADA, note: 'On leave', expires_at: '2999-12-31T00:00:00Z' } },
};

const LIST_PAGE = exampleOf(ListPageDto, {
  data: [
    exampleOf(SuppressionDto, {
      id: GRACE_ID,
      email: GRACE,
      origin: 'bounce',
      source_id: '0198a5ee-40b1-7f6a-9b3c-2d4e6f8a0b1c',
      created_at: '2026-01-15T09:31:00.000Z',
    }),
    SUPPRESSION,
  ],
});

const REMOVE_BODY = {
  'With a note': { value: { note: 'Asked to be mailed again' } },
  'With a consent, for an account that guards removals': {
    value: { consent: { kind: 'recipient_request', reference: 'Support case 4711' } },
  },
  'Without a note': { value: {} },
};

const [ADDED] = exampleOf(HistoryPageDto).data;

const HISTORY_PAGE = exampleOf(HistoryPageDto, {
  data: [
    {
      ...ADDED!,
      id: '0198a6c1-09f3-7e21-b7a4-6c8d0e2f4a5b',
      action: 'removed',
      note: 'Asked to be mailed again',
      created_at: '2026-01-15T13:15:40.000Z',
    },
    ADDED!,
  ],
});

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
      ),
    ],
    responds: [HttpStatus.CREATED, 'The address was added.', SuppressionIdDto],
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
  },
  getSuppression: {
    scope: 'suppressions:read',
    summary: 'Get a suppression',
    description: 'Finds the suppression by its id or by its percent-encoded address.',
    responds: [HttpStatus.OK, 'The address is suppressed.', SuppressionWithCausesDto, SUPPRESSION],
    errors: [SuppressionNotFoundError],
  },
  removeSuppression: {
    scope: 'suppressions:write',
    summary: 'Remove a suppression',
    description:
      'Allows mail to the address again. Its history remains. With `cause`, only that cause is removed, and the ' +
      'suppression remains if it has others. An account can guard removals: see `consent`.',
    body: { type: RemoveDto, required: false, examples: REMOVE_BODY },
    responds: [HttpStatus.OK, 'The suppression was removed.', RemovedDto],
    errors: [SuppressionNotFoundError, CauseNotFoundError, RemovalNotAllowedError],
  },
  getSuppressionHistory: {
    scope: 'suppressions:read',
    summary: 'Get the history of an address',
    description:
      'Returns every change of the address, newest first. Pass the address, or any id that a suppression of it has ' +
      'had. The history remains after a removal.',
    responds: [HttpStatus.OK, 'A page of the history.', HistoryPageDto, HISTORY_PAGE],
    errors: [
      ValidationError.withExample('after', 'must be the id of a change in this history'),
      HistoryNotFoundError,
    ],
  },
});

const BATCH_ADD_BODY = {
  'Two addresses': { value: { emails: [ADA, GRACE], note: 'Moved from the old system' } },
  'Without a note': { value: { emails: [ADA, GRACE] } },
};

const BATCH_ADDED = { data: IDS.map((id) => new SuppressionIdDto({ id })) };

const CHECK_BODY = {
  'Three addresses': { value: { emails: [ADA, 'new@example.com', 'not an address'] } },
  'For the mail of a topic': { value: { emails: [ADA], topic: 'news' } },
  'With unsubscribe links': { value: { emails: [ADA, 'new@example.com'], include: ['unsubscribe'] } },
};

const CHECKED: Omit<CheckedDto, 'writeJson'> = {
  object: 'list',
  data: [
    {
      email: ADA,
      verdict: 'suppressed',
      suppression: SUPPRESSION,
      decided_by: { type: 'suppression', id: SUPPRESSION.id, cause: 'manual' },
    },
    { email: 'new@example.com', verdict: 'send', suppression: null, decided_by: null },
    { email: 'not an address', verdict: 'invalid', suppression: null, decided_by: null },
  ],
};

const BATCH_REMOVE_BODY = {
  'By address': { value: { emails: [ADA, GRACE], note: 'Asked to be mailed again' } },
  'By id': { value: { ids: IDS } },
};

const BATCH_REMOVED = { data: IDS.map((id) => exampleOf(RemovedDto, { id })) };

export const batchOperations = operationsOf('Batches', {
  batchAddSuppressions: {
    scope: 'suppressions:write',
    summary: 'Add up to 100 addresses',
    description:
      'Adds all addresses or none: one invalid address fails the request. An address that is already suppressed keeps ' +
      'its id. An address given twice appears twice in the response, with the same id.',
    body: { type: BatchAddDto, examples: BATCH_ADD_BODY },
    responds: [HttpStatus.CREATED, 'All addresses are suppressed.', BatchAddedDto, BATCH_ADDED],
  },
  batchRemoveSuppressions: {
    scope: 'suppressions:write',
    summary: 'Remove up to 100 suppressions',
    description:
      'Takes `emails` or `ids`. Addresses and ids without a suppression are left out of the response. If one removal ' +
      'lacks what the account requires, all are refused.',
    body: { type: BatchRemoveDto, examples: BATCH_REMOVE_BODY },
    responds: [HttpStatus.OK, 'The suppressions that were removed.', BatchRemovedDto, BATCH_REMOVED],
    errors: [
      ValidationError.withExample('ids', 'must be left out if emails is given'),
      RemovalNotAllowedError,
    ],
  },
});

export const checkOperations = operationsOf('Checks', {
  checkEmails: {
    scope: 'suppressions:check',
    summary: 'Check whether up to 1,000 addresses may be mailed',
    description:
      'The verdict depends on the purpose of the email: none, a topic, or transactional. `decided_by` names the ' +
      "reason: a cause of the suppression, the recipient's choice for the topic, the default of the topic, or a rule. " +
      'An invalid address gets its own verdict and does not affect the others.',
    body: { type: CheckDto, examples: CHECK_BODY },
    responds: [HttpStatus.OK, 'A verdict for each address.', CheckedDto, CHECKED],
    errors: [
      ValidationError.withExample('emails', 'must have at most 1000 email addresses'),
      TopicNotFoundError,
      CursorGoneError,
      UnsubscribeLinksUnavailableError,
      UnsubscribeMailboxMissingError,
    ],
  },
});
