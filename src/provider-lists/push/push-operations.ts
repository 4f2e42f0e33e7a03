import { applyDecorators, HttpCode, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { ValidationError } from '../../http/errors/errors.js';
import { Responds } from '../../http/responses/responds.decorator.js';
import { RemovalNotAllowedError } from '../../suppressions/errors.js';
import { PushesPageDto, RetryDto } from '../dto/push.dto.js';
import { CreateRemovalsDto, ListRemovalsDto } from '../dto/removal.dto.js';
import { RemovalsImpossibleError, SharedListError, TooManyRemovalsError } from '../errors.js';
import * as examples from '../examples.js';
import { InvalidLimit, OneList } from '../operations.js';

export function CreateRemovals(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:write'),
    OneList(),
    ApiOperation({
      operationId: 'createProviderListRemovals',
      summary: 'Remove entries at the provider',
      description:
        'Removes what the provider has for these addresses, whatever its cause: the only way in which this service removes ' +
        'complaints, unsubscribes, and manual entries that were made there. Lift the addresses here first. The requests are sent ' +
        'soon after the response; `GET …/pushes` has those that are not done. At most 200 addresses of a list can be confirmed in ' +
        '24 hours. In an account that guards removals, the key needs the scope `suppressions:lift`.',
    }),
    ApiBody({ type: CreateRemovalsDto, examples: examples.REMOVALS_BODY }),
    Responds(HttpStatus.ACCEPTED, 'What happens to each address.', ListRemovalsDto, examples.REMOVALS),
    ApiErrors(
      ValidationError.withExample('consent', 'must have 1 to 500 characters in reference'),
      RemovalNotAllowedError,
      SharedListError,
      RemovalsImpossibleError,
      TooManyRemovalsError,
    ),
  );
}

export function ListPushes(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:read'),
    OneList(),
    ApiOperation({
      operationId: 'listProviderListPushes',
      summary: 'List what was not pushed yet',
      description:
        'The additions and removals that the provider has not accepted yet. What has failed comes first, each by address.',
    }),
    Responds(HttpStatus.OK, 'A page of them.', PushesPageDto, examples.PUSHES_PAGE),
    ApiErrors(InvalidLimit, ValidationError.withExample('after', 'must be the cursor of the previous page')),
  );
}

export function RetryPushes(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:write'),
    OneList(),
    HttpCode(HttpStatus.OK),
    ApiOperation({
      operationId: 'retryProviderListPushes',
      summary: 'Push again what failed',
      description:
        'Also what would be tried again later, and ends a pause that the provider asked for. A request sends at most 5,000 ' +
        'changes of each status again: if `retried` is 5,000 or more, repeat it.',
    }),
    Responds(HttpStatus.OK, 'How many are sent again.', RetryDto, examples.RETRY),
  );
}
