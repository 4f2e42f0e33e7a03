import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { ValidationError } from '../http/errors/errors.js';
import { exampleOf } from '../http/responses/response.decorators.js';
import { ActorDto } from '../ledger/evidence.dto.js';
import { CursorGoneError } from '../ledger/feed-position.js';
import { SuppressionDto } from '../suppressions/dto/suppression.dto.js';
import { ChangesPageDto, MAX_WAIT_SECONDS } from './changes.dto.js';

const CURSOR_EXAMPLE = 'AQAAAAEAAAAAAAAAAQGYpfJtHXoQiyKdDE5fans';

const CHANGES_PAGE: ChangesPageDto = {
  object: 'list',
  has_more: false,
  cursor: CURSOR_EXAMPLE,
  data: [
    {
      id: '0198a5f2-6d1d-7a10-8b22-9d0c4e5f6a7b',
      type: 'suppression.added',
      email: 'ada@example.com',
      revision: 1,
      suppression: exampleOf(SuppressionDto),
      causes: ['manual'],
      expires_at: null,
      topic: null,
      actor: exampleOf(ActorDto),
      note: 'Asked on the phone',
      lift_id: null,
      created_at: '2026-01-15T09:30:00.000Z',
    },
  ],
};

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
