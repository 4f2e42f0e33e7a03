import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
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

export const operations = operationsOf('Lifts', {
  createLift: {
    scope: 'suppressions:lift',
    summary: 'Count what a lift by query would remove',
    description:
      'Finds the suppressions whose bounce or manual entry was recorded as the conditions say, by the history of the list. Give at ' +
      'least one condition besides the cause. Nothing changes until you apply the lift. Complaints and unsubscribes are never ' +
      `lifted. An account keeps ${MAX_PLANS} plans that were not applied; older ones expire. docs/undo.md has examples.`,
    body: { type: CreateLiftDto, examples: examples.CREATE_BODY },
    responds: [HttpStatus.ACCEPTED, 'The suppressions are being counted.', LiftDto, examples.COUNTING],
    errors: [ValidationError.withExample('cause', 'must be one of bounce, manual'), TooManyLiftsError],
  },
  listLifts: {
    scope: 'suppressions:read',
    summary: 'List the lifts',
    description: 'Newest first.',
    responds: [HttpStatus.OK, 'A page of the lifts.', LiftsPageDto, examples.PAGE],
    errors: [ValidationError.withExample('limit', 'must be a whole number from 1 to 100')],
  },
  getLift: {
    scope: 'suppressions:read',
    summary: 'Get a lift',
    description: 'The counts are updated while the lift is counted, applied, or reverted.',
    params: [examples.LIFT_PARAM],
    responds: [HttpStatus.OK, 'The lift.', LiftDto, examples.READY],
    errors: [LiftNotFoundError],
  },
  listLiftLines: {
    scope: 'suppressions:read',
    summary: 'List the suppressions of a lift',
    description:
      'In the order in which their causes were recorded. The lines of a plan that has expired are deleted.',
    params: [examples.LIFT_PARAM],
    responds: [HttpStatus.OK, 'A page of the lines.', LiftLinesPageDto, examples.LINES],
    errors: [ValidationError.withExample('limit', 'must be a whole number from 1 to 100'), LiftNotFoundError],
  },
  applyLift: {
    scope: 'suppressions:lift',
    summary: 'Apply a lift',
    description:
      'Lifts what was counted, within 24 hours of the count. Suppressions that have changed since are skipped. Those with other ' +
      'causes stay suppressed for them. Repeating the request returns the lift as it is.',
    params: [examples.LIFT_PARAM],
    body: { type: ApplyLiftDto, required: false, examples: examples.APPLY_BODY },
    responds: [HttpStatus.ACCEPTED, 'The lift will be applied.', LiftDto, examples.APPLYING],
    errors: [
      ValidationError.withExample('confirm', 'must be the count of the lift'),
      ConsentRequiredError,
      LiftNotFoundError,
      LiftStatusError,
      ConfirmationRequiredError,
    ],
  },
  revertLift: {
    scope: 'suppressions:lift',
    summary: 'Revert a lift',
    description:
      'Puts back what the lift removed and is still absent, with its cause and its date, within 30 days. Repeating the request ' +
      'returns the lift as it is.',
    params: [examples.LIFT_PARAM],
    responds: [HttpStatus.ACCEPTED, 'The lift will be reverted.', LiftDto, examples.REVERTING],
    errors: [LiftNotFoundError, LiftStatusError],
  },
});
