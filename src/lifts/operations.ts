import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { ApplyLiftDto } from './dto/apply-lift.dto.js';
import { CreateLiftDto } from './dto/create-lift.dto.js';
import { LiftLinesPageDto } from './dto/lift-line.dto.js';
import { LiftDto, LiftsPageDto } from './dto/lift.dto.js';
import {
  ConfirmationRequiredError,
  ConsentRequiredError,
  LiftNotFoundError,
  LiftStatusError,
  TooManyLiftsError,
} from './errors.js';
import * as examples from './examples.js';
import { MAX_PLANS } from './lifts.repository.js';

export function CreateLift(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:lift'),
    ApiTags('Lifts'),
    ApiOperation({
      operationId: 'createLift',
      summary: 'Count what a lift by query would remove',
      description:
        'Finds the suppressions whose bounce or manual entry was recorded as the conditions say, by the history of the list. Give at ' +
        'least one condition besides the cause. Nothing changes until you apply the lift. Complaints and unsubscribes are never ' +
        `lifted. An account keeps ${MAX_PLANS} plans that were not applied; older ones expire. docs/undo.md has examples.`,
    }),
    ApiBody({ type: CreateLiftDto, examples: examples.CREATE_BODY }),
    Responds(HttpStatus.ACCEPTED, 'The suppressions are being counted.', LiftDto, examples.COUNTING),
    ApiErrors(ValidationError.withExample('cause', 'must be one of bounce, manual'), TooManyLiftsError),
  );
}

export function ListLifts(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:read'),
    ApiTags('Lifts'),
    ApiOperation({ operationId: 'listLifts', summary: 'List the lifts', description: 'Newest first.' }),
    Responds(HttpStatus.OK, 'A page of the lifts.', LiftsPageDto, examples.PAGE),
    ApiErrors(ValidationError.withExample('limit', 'must be a whole number from 1 to 100')),
  );
}

export function GetLift(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:read'),
    ApiTags('Lifts'),
    ApiOperation({
      operationId: 'getLift',
      summary: 'Get a lift',
      description: 'The counts are updated while the lift is counted, applied, or reverted.',
    }),
    ApiParam(examples.LIFT_PARAM),
    Responds(HttpStatus.OK, 'The lift.', LiftDto, examples.READY),
    ApiErrors(LiftNotFoundError),
  );
}

export function ListLiftLines(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:read'),
    ApiTags('Lifts'),
    ApiOperation({
      operationId: 'listLiftLines',
      summary: 'List the suppressions of a lift',
      description:
        'In the order in which their causes were recorded. The lines of a plan that has expired are deleted.',
    }),
    ApiParam(examples.LIFT_PARAM),
    Responds(HttpStatus.OK, 'A page of the lines.', LiftLinesPageDto, examples.LINES),
    ApiErrors(
      ValidationError.withExample('limit', 'must be a whole number from 1 to 100'),
      LiftNotFoundError,
    ),
  );
}

export function ApplyLift(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:lift'),
    ApiTags('Lifts'),
    ApiOperation({
      operationId: 'applyLift',
      summary: 'Apply a lift',
      description:
        'Lifts what was counted, within 24 hours of the count. Suppressions that have changed since are skipped. Those with other ' +
        'causes stay suppressed for them. Repeating the request returns the lift as it is.',
    }),
    ApiParam(examples.LIFT_PARAM),
    ApiBody({ type: ApplyLiftDto, required: false, examples: examples.APPLY_BODY }),
    Responds(HttpStatus.ACCEPTED, 'The lift will be applied.', LiftDto, examples.APPLYING),
    ApiErrors(
      ValidationError.withExample('confirm', 'must be the count of the lift'),
      ConsentRequiredError,
      LiftNotFoundError,
      LiftStatusError,
      ConfirmationRequiredError,
    ),
  );
}

export function RevertLift(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:lift'),
    ApiTags('Lifts'),
    ApiOperation({
      operationId: 'revertLift',
      summary: 'Revert a lift',
      description:
        'Puts back what the lift removed and is still absent, with its cause and its date, within 30 days. Repeating the request ' +
        'returns the lift as it is.',
    }),
    ApiParam(examples.LIFT_PARAM),
    Responds(HttpStatus.ACCEPTED, 'The lift will be reverted.', LiftDto, examples.REVERTING),
    ApiErrors(LiftNotFoundError, LiftStatusError),
  );
}
