import { HttpCode, HttpStatus } from '@nestjs/common';
import { KeptBlocksUnreadableError } from '../pseudonyms/errors.js';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { idParam } from '../http/path-param.js';
import { exampleOf } from '../http/responses/response.decorators.js';
import { NoSecretsKeyError } from '../webhooks/errors.js';
import { RemovalNotAllowedError } from '../suppressions/errors.js';
import { UNKNOWN_CURSOR } from './row-key.js';
import { LinesPageDto } from './dto/line.dto.js';
import { ListTestDto } from './dto/list-test.dto.js';
import { CreateProviderListDto, UpdateProviderListDto } from './dto/new-provider-list.dto.js';
import {
  DeletedProviderListDto,
  ProviderListDto,
  ProviderListIdDto,
  ProviderListsPageDto,
} from './dto/provider-list.dto.js';
import { ApplyPlanDto, DeletedPlanDto, PlanDto, PlanIdDto, PlansPageDto } from './dto/plan.dto.js';
import { CreateRemovalsDto, ListRemovalsDto, PushesPageDto, RetryDto } from './dto/push.dto.js';
import {
  PlanInProgressError,
  PlanNotFoundError,
  PlanStatusError,
  PlanStoppedError,
  ProviderListNotFoundError,
  RemovalsImpossibleError,
  ScopeTakenError,
  SharedListError,
  TooManyRemovalsError,
  TooManyProviderListsError,
  UnreadableCredentialsError,
} from './errors.js';
import * as examples from './examples.js';

export const ListId = idParam('provider_list', ProviderListNotFoundError, {
  description: 'Its id.',
  example: exampleOf(ProviderListIdDto).id,
});

export const PlanId = idParam('provider_list_plan', PlanNotFoundError, {
  description: 'The id of the plan.',
  example: exampleOf(PlanIdDto).id,
});

const InvalidCursor = ValidationError.withExample('after', UNKNOWN_CURSOR);
const InvalidScope = ValidationError.withExample(
  'scope.region',
  'must be a region of AWS, such as eu-west-1',
);

export const operations = operationsOf('Provider lists', {
  createProviderList: {
    scope: 'provider-lists:write',
    summary: 'Create a provider list',
    description:
      'A provider list is the suppression list that one scope of a provider keeps. Plans compare it with the list of the ' +
      'account. Nothing is read before the first plan, and nothing is changed at the provider unless a switch for pushes is on.',
    body: { type: CreateProviderListDto, examples: examples.CREATE_BODY },
    responds: [HttpStatus.CREATED, 'The provider list was created.', ProviderListDto, examples.LIST],
    errors: [InvalidScope, ScopeTakenError, TooManyProviderListsError, NoSecretsKeyError],
  },
  listProviderLists: {
    scope: 'provider-lists:read',
    summary: 'List the provider lists',
    description: 'Newest first.',
    responds: [HttpStatus.OK, 'A page of the provider lists.', ProviderListsPageDto, examples.LISTS_PAGE],
  },
  getProviderList: {
    scope: 'provider-lists:read',
    summary: 'Get a provider list',
    description: 'The credentials are never returned.',
    responds: [HttpStatus.OK, 'The provider list.', ProviderListDto, examples.LIST],
  },
  updateProviderList: {
    scope: 'provider-lists:write',
    summary: 'Change a provider list',
    description:
      'Fields that are left out stay as they are; provider and scope cannot be changed. A list that stopped because the ' +
      'provider refused its credentials resumes when they are replaced.',
    body: { type: UpdateProviderListDto, examples: examples.UPDATE_BODY },
    responds: [HttpStatus.OK, 'The provider list as it is now.', ProviderListDto, examples.LIST],
    errors: [
      ValidationError.withExample('interval', 'must be from 1h to 30d, in hours or days, such as 6h or 1d'),
      ScopeTakenError,
      NoSecretsKeyError,
      UnreadableCredentialsError,
    ],
  },
  testProviderList: {
    scope: 'provider-lists:write',
    summary: 'Test the credentials of a provider list',
    description:
      'Returns each permission that the list needs, and tests those for reading. Nothing is changed at the provider, so permissions ' +
      'for changes are not tested.',
    responds: [HttpStatus.OK, 'What the credentials can do.', ListTestDto, examples.TEST],
    errors: [UnreadableCredentialsError],
  },
  deleteProviderList: {
    scope: 'provider-lists:write',
    summary: 'Delete a provider list',
    description:
      'Deletes the credentials and the plans. Nothing changes at the provider, and what was pulled stays suppressed.',
    responds: [HttpStatus.OK, 'The provider list was deleted.', DeletedProviderListDto],
  },
  createProviderListPlan: {
    scope: 'provider-lists:write',
    summary: 'Compare with the provider',
    description:
      'A job reads the whole list of the provider, and compares three states: what the provider has now, what it had when a ' +
      "plan was last applied, and the account's list. A new plan replaces the previous plan, unless that was applied.",
    responds: [HttpStatus.ACCEPTED, 'The comparison is queued.', PlanDto],
    errors: [PlanInProgressError],
  },
  listProviderListPlans: {
    scope: 'provider-lists:read',
    summary: 'List the plans of a provider list',
    description: 'Newest first, of the last 90 days.',
    responds: [HttpStatus.OK, 'A page of the plans.', PlansPageDto, examples.PLANS_PAGE],
  },
  getProviderListPlan: {
    scope: 'provider-lists:read',
    summary: 'Get a plan',
    description: 'The counts are complete when the status is no longer `comparing`.',
    responds: [HttpStatus.OK, 'The plan.', PlanDto, examples.READY_PLAN],
  },
  listProviderListLines: {
    scope: 'provider-lists:read',
    summary: 'List the lines of a plan',
    description:
      'Each line is an address that is on at least one side. Lines of the kind `pull`, lines of the kind `agreed` whose reason ' +
      'says so, and lines of the kinds `push` and `remove` whose switches are on, change something when the plan is applied. The lines are deleted a week after the plan ' +
      'was applied, or after seven later plans, or when it expires.',
    responds: [HttpStatus.OK, 'A page of the lines.', LinesPageDto, examples.LINES_PAGE],
    errors: [InvalidCursor, KeptBlocksUnreadableError],
  },
  applyProviderListPlan: {
    scope: 'provider-lists:write',
    summary: 'Apply a plan',
    description:
      "Adds what the plan pulls to the account's list, with the cause and the date that the provider has. It removes and " +
      'weakens nothing here, and does not bring back what was lifted here after the date of the provider. Then it adds and ' +
      'removes entries at the provider, as far as `push_additions` and `push_removals` are on, and within the cap. Lines whose ' +
      'address has changed since are skipped and counted. Applying a plan again changes nothing.',
    body: { type: ApplyPlanDto, examples: examples.APPLY_BODY },
    responds: [HttpStatus.ACCEPTED, 'The plan is applied.', PlanDto, examples.READY_PLAN],
    errors: [PlanStatusError, PlanStoppedError],
  },
  deleteProviderListPlan: {
    scope: 'provider-lists:write',
    summary: 'Discard a plan',
    description:
      'A job that compares or applies the plan ends, and changes for the provider that were not sent yet are dropped. What was ' +
      'applied stays.',
    responds: [HttpStatus.OK, 'The plan was discarded.', DeletedPlanDto],
  },
  createProviderListRemovals: {
    scope: 'provider-lists:write',
    summary: 'Remove entries at the provider',
    description:
      'Removes what the provider has for these addresses, whatever its cause: the only way in which this service removes ' +
      'complaints, unsubscribes, and manual entries that were made there. Lift the addresses here first. The requests are sent ' +
      'soon after the response; `GET …/pushes` has those that are not done. At most 200 addresses of a list can be confirmed in ' +
      '24 hours. In an account that guards removals, the key needs the scope `suppressions:lift`.',
    body: { type: CreateRemovalsDto, examples: examples.REMOVALS_BODY },
    responds: [HttpStatus.ACCEPTED, 'What happens to each address.', ListRemovalsDto, examples.REMOVALS],
    errors: [
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
    responds: [HttpStatus.OK, 'A page of them.', PushesPageDto, examples.PUSHES_PAGE],
    errors: [InvalidCursor, KeptBlocksUnreadableError],
  },
  retryProviderListPushes: {
    scope: 'provider-lists:write',
    summary: 'Push again what failed',
    description:
      'Immediately retries the changes that failed, and those that wait for their next attempt. Ends a pause that the provider ' +
      'asked for. A request sends at most 5,000 ' +
      'changes of each status again: if `retried` is 5,000 or more, repeat it.',
    decorators: [HttpCode(HttpStatus.OK)],
    responds: [HttpStatus.OK, 'How many are sent again.', RetryDto, examples.RETRY],
  },
});
