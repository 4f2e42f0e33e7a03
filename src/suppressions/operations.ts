import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { AddDto } from './dto/add.dto.js';
import { HistoryPageDto } from './dto/history.dto.js';
import { ListPageDto } from './dto/list.dto.js';
import { RemoveDto } from './dto/remove.dto.js';
import { SuppressionWithCausesDto } from './dto/causes.dto.js';
import { RemovedDto } from './dto/removed.dto.js';
import { SuppressionIdDto } from './dto/suppression.dto.js';
import {
  CauseNotFoundError,
  HistoryNotFoundError,
  RemovalNotAllowedError,
  SuppressionNotFoundError,
} from './errors.js';
import * as examples from './examples.js';
import { InvalidSuppressionRef } from './suppression-ref.js';

export const operations = operationsOf('Suppressions', {
  addSuppression: {
    scope: 'suppressions:write',
    summary: 'Add an address',
    description:
      'Suppresses an address by hand: its cause is `manual`. An address that is already suppressed keeps its id. If it ' +
      'is already suppressed by hand for at least as long, nothing changes, and the `note` is not stored. To report ' +
      'bounces, complaints, and unsubscribes, use `POST /events`.',
    body: { type: AddDto, examples: examples.ADD_BODY },
    decorators: [
      Responds(
        HttpStatus.OK,
        'The address was already suppressed. The response contains its existing id.',
        SuppressionIdDto,
        examples.SUPPRESSION_ID,
      ),
    ],
    responds: [HttpStatus.CREATED, 'The address was added.', SuppressionIdDto, examples.SUPPRESSION_ID],
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
    responds: [HttpStatus.OK, 'A page of the list.', ListPageDto, examples.LIST_PAGE],
    errors: [ValidationError.withExample('limit', 'must be a whole number from 1 to 100')],
  },
  getSuppression: {
    scope: 'suppressions:read',
    summary: 'Get a suppression',
    description: 'Finds the suppression by its id or by its percent-encoded address.',
    params: [examples.REF_PARAM],
    responds: [HttpStatus.OK, 'The address is suppressed.', SuppressionWithCausesDto, examples.SUPPRESSION],
    errors: [InvalidSuppressionRef, SuppressionNotFoundError],
  },
  removeSuppression: {
    scope: 'suppressions:write',
    summary: 'Remove a suppression',
    description:
      'Allows mail to the address again. Its history remains. With `cause`, only that cause is removed, and the ' +
      'suppression remains if it has others. An account can guard removals: see `consent`.',
    params: [examples.REF_PARAM],
    body: { type: RemoveDto, required: false, examples: examples.REMOVE_BODY },
    responds: [HttpStatus.OK, 'The suppression was removed.', RemovedDto, examples.REMOVED],
    errors: [InvalidSuppressionRef, SuppressionNotFoundError, CauseNotFoundError, RemovalNotAllowedError],
  },
  getSuppressionHistory: {
    scope: 'suppressions:read',
    summary: 'Get the history of an address',
    description:
      'Returns every change of the address, newest first. Pass the address, or any id that a suppression of it has ' +
      'had. The history remains after a removal.',
    params: [examples.REF_PARAM],
    responds: [HttpStatus.OK, 'A page of the history.', HistoryPageDto, examples.HISTORY_PAGE],
    errors: [
      InvalidSuppressionRef,
      ValidationError.withExample('after', 'must be the id of a change in this history'),
      HistoryNotFoundError,
    ],
  },
});
