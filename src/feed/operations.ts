import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { Route } from '../http/route-options.js';
import { ChangesPageDto, MAX_WAIT_SECONDS } from './dto/changes.dto.js';
import { CursorGoneError } from '../ledger/errors.js';
import { CHANGES_PAGE } from './examples.js';

const TIME_LIMIT_MS = MAX_WAIT_SECONDS * 1_000 + REQUEST_TIME_LIMIT_MS;

export function ReadChanges(): MethodDecorator {
  return applyDecorators(
    RequireScope('changes:read'),
    Route({ timeLimitMs: TIME_LIMIT_MS }),
    ApiTags('Changes'),
    ApiOperation({
      operationId: 'readChanges',
      summary: 'List the changes',
      description:
        'Returns the changes of the account in the order in which they were committed, each exactly once. For the next ' +
        'page, pass the `cursor` of a page as `after`. No change is ever inserted before a cursor, so readers miss none. ' +
        'Without `after`, the feed begins at the first change. To begin with a copy of the list, read `GET /exports`, ' +
        'and continue with its header `Changes-Cursor`.',
    }),
    Responds(HttpStatus.OK, 'A page of the feed, oldest change first.', ChangesPageDto, CHANGES_PAGE),
    ApiErrors(
      ValidationError.withExample('after', 'must be a cursor that this API returned'),
      CursorGoneError,
    ),
  );
}
