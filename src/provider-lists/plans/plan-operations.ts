import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam } from '@nestjs/swagger';
import { RequireScope } from '../../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { ValidationError } from '../../http/errors/errors.js';
import { Responds } from '../../http/responses/responds.decorator.js';
import { LinesPageDto } from '../dto/line.dto.js';
import { ApplyPlanDto, DeletedPlanDto, PlanDto, PlansPageDto } from '../dto/plan.dto.js';
import { PlanInProgressError, PlanNotFoundError, PlanStatusError, PlanStoppedError } from '../errors.js';
import * as examples from '../examples.js';
import { InvalidLimit, OneList } from '../operations.js';

const OnePlan = () => applyDecorators(OneList(), ApiParam(examples.PLAN_PARAM), ApiErrors(PlanNotFoundError));

export function CreatePlan(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:write'),
    OneList(),
    ApiOperation({
      operationId: 'createProviderListPlan',
      summary: 'Compare with the provider',
      description:
        'A job reads the whole list of the provider, and compares three states: what the provider has now, what it had when a ' +
        "plan was last applied, and the account's list. A new plan replaces the previous plan, unless that was applied.",
    }),
    Responds(HttpStatus.ACCEPTED, 'The comparison is queued.', PlanDto, examples.PLAN),
    ApiErrors(PlanInProgressError),
  );
}

export function ListPlans(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:read'),
    OneList(),
    ApiOperation({
      operationId: 'listProviderListPlans',
      summary: 'List the plans of a provider list',
      description: 'Newest first, of the last 90 days.',
    }),
    Responds(HttpStatus.OK, 'A page of the plans.', PlansPageDto, examples.PLANS_PAGE),
    ApiErrors(InvalidLimit),
  );
}

export function GetPlan(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:read'),
    OnePlan(),
    ApiOperation({
      operationId: 'getProviderListPlan',
      summary: 'Get a plan',
      description: 'The counts are complete when the status is no longer `comparing`.',
    }),
    Responds(HttpStatus.OK, 'The plan.', PlanDto, examples.READY_PLAN),
  );
}

export function ListLines(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:read'),
    OnePlan(),
    ApiOperation({
      operationId: 'listProviderListLines',
      summary: 'List the lines of a plan',
      description:
        'Each line is an address that is on at least one side. Lines of the kind `pull`, lines of the kind `agreed` whose reason ' +
        'says so, and lines of the kinds `push` and `remove` whose switches are on, change something when the plan is applied. The lines are deleted a week after the plan ' +
        'was applied, or after seven later plans, or when it expires.',
    }),
    Responds(HttpStatus.OK, 'A page of the lines.', LinesPageDto, examples.LINES_PAGE),
    ApiErrors(InvalidLimit, ValidationError.withExample('after', 'must be the cursor of the previous page')),
  );
}

export function ApplyPlan(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:write'),
    OnePlan(),
    ApiOperation({
      operationId: 'applyProviderListPlan',
      summary: 'Apply a plan',
      description:
        "Adds what the plan pulls to the account's list, with the cause and the date that the provider has. It removes and " +
        'weakens nothing here, and does not bring back what was lifted here after the date of the provider. Then it adds and ' +
        'removes entries at the provider, as far as `push_additions` and `push_removals` are on, and within the cap. Lines whose ' +
        'address has changed since are skipped and counted. Applying a plan again changes nothing.',
    }),
    ApiBody({ type: ApplyPlanDto, examples: examples.APPLY_BODY }),
    Responds(HttpStatus.ACCEPTED, 'The plan is applied.', PlanDto, examples.READY_PLAN),
    ApiErrors(PlanStatusError, PlanStoppedError),
  );
}

export function DiscardPlan(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:write'),
    OnePlan(),
    ApiOperation({
      operationId: 'deleteProviderListPlan',
      summary: 'Discard a plan',
      description:
        'A job that compares or applies the plan ends, and changes for the provider that were not sent yet are dropped. What was ' +
        'applied stays.',
    }),
    Responds(HttpStatus.OK, 'The plan was discarded.', DeletedPlanDto, examples.DELETED_PLAN),
  );
}
