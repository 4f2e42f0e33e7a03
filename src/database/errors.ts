import { OperatorError } from '../process/operator-error.js';

/** A statement was not started, or was rolled back, because its result would have come after the deadline. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';

  constructor() {
    super('The deadline of the request has passed.');
  }
}

/** DDL changed what a statement returns while it ran. */
export class StalePlanError extends Error {
  override readonly name = 'StalePlanError';

  constructor() {
    super('DDL has changed the result of a prepared statement.');
  }
}

export class DatabaseError extends OperatorError {}
