import { OperatorError } from '../process/operator-error.js';

/** A statement was not started, or was rolled back, because its result would have arrived after the deadline. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';

  constructor() {
    super('The deadline of the request has passed.');
  }
}

/** The routine of PostgreSQL's error "cached plan must not change result type", which follows DDL. */
export const STALE_PLAN_ROUTINE = 'RevalidateCachedQuery';

/** DDL changed the result type of a statement while it ran. */
export class StalePlanError extends Error {
  override readonly name = 'StalePlanError';

  constructor() {
    super('DDL has changed the result of a prepared statement.');
  }
}

/** Whether a row with the same key was inserted, which the transaction did not see. */
export function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23505';
}

export class DatabaseError extends OperatorError {}
