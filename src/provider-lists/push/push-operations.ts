import { HttpCode, HttpStatus } from '@nestjs/common';
import { operationsOf } from '../../api-keys/operations-of.js';
import { ValidationError } from '../../http/errors/errors.js';
import { RemovalNotAllowedError } from '../../suppressions/errors.js';
import { CreateRemovalsDto, ListRemovalsDto, PushesPageDto, RetryDto } from '../dto/push.dto.js';
import {
  ProviderListNotFoundError,
  RemovalsImpossibleError,
  SharedListError,
  TooManyRemovalsError,
} from '../errors.js';
import * as examples from '../examples.js';
import { InvalidLimit } from '../../http/page.js';

export const pushOperations = operationsOf('Provider lists', {
  createProviderListRemovals: {
    scope: 'provider-lists:write',
    summary: 'Remove entries at the provider',
    description:
      'Removes what the provider has for these addresses, whatever its cause: the only way in which this service removes ' +
      'complaints, unsubscribes, and manual entries that were made there. Lift the addresses here first. The requests are sent ' +
      'soon after the response; `GET …/pushes` has those that are not done. At most 200 addresses of a list can be confirmed in ' +
      '24 hours. In an account that guards removals, the key needs the scope `suppressions:lift`.',
    params: [examples.LIST_PARAM],
    body: { type: CreateRemovalsDto, examples: examples.REMOVALS_BODY },
    responds: [HttpStatus.ACCEPTED, 'What happens to each address.', ListRemovalsDto, examples.REMOVALS],
    errors: [
      ProviderListNotFoundError,
      ValidationError.withExample('consent', 'must have 1 to 500 characters in reference'),
      RemovalNotAllowedError,
      SharedListError,
      RemovalsImpossibleError,
      TooManyRemovalsError,
    ],
  },
  listProviderListPushes: {
    scope: 'provider-lists:read',
    summary: 'List what was not pushed yet',
    description:
      'The additions and removals that the provider has not accepted yet. Failed changes first, then pending ones; each group is sorted by address.',
    params: [examples.LIST_PARAM],
    responds: [HttpStatus.OK, 'A page of them.', PushesPageDto, examples.PUSHES_PAGE],
    errors: [
      ProviderListNotFoundError,
      InvalidLimit,
      ValidationError.withExample('after', 'must be the cursor of the previous page'),
    ],
  },
  retryProviderListPushes: {
    scope: 'provider-lists:write',
    summary: 'Push again what failed',
    description:
      'Also what would be tried again later, and ends a pause that the provider asked for. A request sends at most 5,000 ' +
      'changes of each status again: if `retried` is 5,000 or more, repeat it.',
    params: [examples.LIST_PARAM],
    decorators: [HttpCode(HttpStatus.OK)],
    responds: [HttpStatus.OK, 'How many are sent again.', RetryDto, examples.RETRY],
    errors: [ProviderListNotFoundError],
  },
});
