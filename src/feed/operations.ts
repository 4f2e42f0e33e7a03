import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { ValidationError } from '../http/errors/errors.js';
import { ChangesPageDto, MAX_WAIT_SECONDS } from './dto/changes.dto.js';
import { CursorGoneError } from '../ledger/errors.js';
import { CHANGES_PAGE } from './examples.js';

const TIME_LIMIT_MS = MAX_WAIT_SECONDS * 1_000 + REQUEST_TIME_LIMIT_MS;

export const operations = operationsOf('Changes', {
  readChanges: {
    scope: 'changes:read',
    summary: 'List the changes',
    description:
      'Returns the changes of the account in the order in which they were committed, each exactly once. For the next ' +
      'page, pass the `cursor` of a page as `after`. No change is ever inserted before a cursor, so readers miss none. ' +
      'Without `after`, the feed begins at the first change. To begin with a copy of the list, read `GET /exports`, ' +
      'and continue with its header `Changes-Cursor`.',
    route: { timeLimitMs: TIME_LIMIT_MS },
    responds: [HttpStatus.OK, 'A page of the feed, oldest change first.', ChangesPageDto, CHANGES_PAGE],
    errors: [
      ValidationError.withExample('after', 'must be a cursor that this API returned'),
      CursorGoneError,
    ],
  },
});
