import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../../api-keys/operations-of.js';
import { ValidationError } from '../../http/errors/errors.js';
import { LinesPageDto } from '../dto/line.dto.js';
import { ApplyPlanDto, DeletedPlanDto, PlanDto, PlansPageDto } from '../dto/plan.dto.js';
import {
  PlanInProgressError,
  PlanNotFoundError,
  PlanStatusError,
  PlanStoppedError,
  ProviderListNotFoundError,
} from '../errors.js';
import * as examples from '../examples.js';
import { InvalidLimit } from '../../http/page.js';

export const planOperations = operationsOf('Provider lists', {
  createProviderListPlan: {
    scope: 'provider-lists:write',
    summary: 'Compare with the provider',
    description:
      'A job reads the whole list of the provider, and compares three states: what the provider has now, what it had when a ' +
      "plan was last applied, and the account's list. A new plan replaces the previous plan, unless that was applied.",
    params: [examples.LIST_PARAM],
    responds: [HttpStatus.ACCEPTED, 'The comparison is queued.', PlanDto, examples.PLAN],
    errors: [ProviderListNotFoundError, PlanInProgressError],
  },
  listProviderListPlans: {
    scope: 'provider-lists:read',
    summary: 'List the plans of a provider list',
    description: 'Newest first, of the last 90 days.',
    params: [examples.LIST_PARAM],
    responds: [HttpStatus.OK, 'A page of the plans.', PlansPageDto, examples.PLANS_PAGE],
    errors: [ProviderListNotFoundError, InvalidLimit],
  },
  getProviderListPlan: {
    scope: 'provider-lists:read',
    summary: 'Get a plan',
    description: 'The counts are complete when the status is no longer `comparing`.',
    params: [examples.LIST_PARAM, examples.PLAN_PARAM],
    responds: [HttpStatus.OK, 'The plan.', PlanDto, examples.READY_PLAN],
    errors: [ProviderListNotFoundError, PlanNotFoundError],
  },
  listProviderListLines: {
    scope: 'provider-lists:read',
    summary: 'List the lines of a plan',
    description:
      'Each line is an address that is on at least one side. Lines of the kind `pull`, lines of the kind `agreed` whose reason ' +
      'says so, and lines of the kinds `push` and `remove` whose switches are on, change something when the plan is applied. The lines are deleted a week after the plan ' +
      'was applied, or after seven later plans, or when it expires.',
    params: [examples.LIST_PARAM, examples.PLAN_PARAM],
    responds: [HttpStatus.OK, 'A page of the lines.', LinesPageDto, examples.LINES_PAGE],
    errors: [
      ProviderListNotFoundError,
      PlanNotFoundError,
      InvalidLimit,
      ValidationError.withExample('after', 'must be the cursor of the previous page'),
    ],
  },
  applyProviderListPlan: {
    scope: 'provider-lists:write',
    summary: 'Apply a plan',
    description:
      "Adds what the plan pulls to the account's list, with the cause and the date that the provider has. It removes and " +
      'weakens nothing here, and does not bring back what was lifted here after the date of the provider. Then it adds and ' +
      'removes entries at the provider, as far as `push_additions` and `push_removals` are on, and within the cap. Lines whose ' +
      'address has changed since are skipped and counted. Applying a plan again changes nothing.',
    params: [examples.LIST_PARAM, examples.PLAN_PARAM],
    body: { type: ApplyPlanDto, examples: examples.APPLY_BODY },
    responds: [HttpStatus.ACCEPTED, 'The plan is applied.', PlanDto, examples.READY_PLAN],
    errors: [ProviderListNotFoundError, PlanNotFoundError, PlanStatusError, PlanStoppedError],
  },
  deleteProviderListPlan: {
    scope: 'provider-lists:write',
    summary: 'Discard a plan',
    description:
      'A job that compares or applies the plan ends, and changes for the provider that were not sent yet are dropped. What was ' +
      'applied stays.',
    params: [examples.LIST_PARAM, examples.PLAN_PARAM],
    responds: [HttpStatus.OK, 'The plan was discarded.', DeletedPlanDto, examples.DELETED_PLAN],
    errors: [ProviderListNotFoundError, PlanNotFoundError],
  },
});
