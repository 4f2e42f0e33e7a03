import { isNativeError } from 'node:util/types';
import { DatabaseError as PostgresError } from 'pg';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { messageFor, OperatorError } from '../process/operator-error.js';

/** A statement was not started, or was rolled back, because its result would have arrived after the deadline. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';

  constructor() {
    super('The deadline of the request has passed.');
  }
}

/** All connections to a server were in use for too long. */
export class NoConnectionError extends Error {
  override readonly name = 'NoConnectionError';

  constructor() {
    super('no connection to the database became free in time');
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

/** Errors of any class that were caused by a connection that broke or could not be opened. */
const caused = new WeakSet<object>();

/** Marks an error as caused by a lost connection, and returns it. */
export function markLost(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) {
    caused.add(error);
  }
  return error;
}

/** Remembers that a connection caused an error, if PostgreSQL did not reply, and returns the error. */
export function withMark(error: unknown): unknown {
  return isWithoutReply(error) ? markLost(error) : error;
}

export function isMarkedLost(error: unknown): boolean {
  return typeof error === 'object' && error !== null && caused.has(error);
}

/**
 * PostgreSQL (Appendix A, error codes): connection exceptions, invalid authorization, statements lost by a pooler, no such
 * database, transaction rollback, out of resources, locked, canceled, shutting down, and disk errors; a transaction that took
 * too long; a read-only server, as after a failover; and an undefined table, if migrations are pending or the search path is
 * wrong. All others mean that the statement or its values are wrong.
 */
const SQLSTATES = /^(?:08|26|28|3D|40|53|55|57|58)...$|^25(?:006|P03|P04)$|^42P01$/;

const DISK_FULL = '53100';
const READ_ONLY = '25006';
const BLOCKED = /^(?:57014|55P03|40P01)$/;

/** The last two occur when a query runner loses its connection: nothing else releases one that is in use. */
const TRANSIENT_ERRORS = [
  DeadlineExceededError,
  StalePlanError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
];

/**
 * Whether an error means that the database is unreachable, too slow or not ready, so that the request may succeed later. This
 * includes every error that a lost connection caused, and every error of a statement to which PostgreSQL did not reply.
 */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  const error = driverErrorOf(thrown);
  if (!isNativeError(error)) {
    return false;
  }
  return (
    isMarkedLost(thrown) ||
    isMarkedLost(error) ||
    TRANSIENT_ERRORS.some((transient) => error instanceof transient) ||
    SQLSTATES.test(codeOf(error)) ||
    (thrown instanceof QueryFailedError && isWithoutReply(error))
  );
}

/** Returns what to tell the operator about an error, if it means that the database is unreachable or too slow. */
export function forOperator(thrown: unknown): unknown {
  if (!isDatabaseUnavailable(thrown) || messageFor(thrown as Error)) {
    return thrown;
  }
  // An error about several addresses of a host has a code, but no message.
  const problem = (driverErrorOf(thrown) as Error).message || codeOf(thrown);
  return new DatabaseError(`The database failed or was too slow: ${problem}. Try again.`);
}

/** Whether a statement waited too long for a lock, was in a deadlock, or was canceled. */
export function isBlocked(thrown: unknown): boolean {
  return BLOCKED.test(codeOf(thrown));
}

/**
 * Whether a statement failed without a reply from PostgreSQL. Values that pg cannot send do not count: they are our own
 * mistake.
 */
function isWithoutReply(error: unknown): boolean {
  return (
    isNativeError(error) && !isReply(error) && !(error instanceof TypeError || error instanceof RangeError)
  );
}

/** Whether PostgreSQL, or a pooler in front of it, refused a statement. */
export function isReply(thrown: unknown): boolean {
  return driverErrorOf(thrown) instanceof PostgresError;
}

export function isDiskFull(thrown: unknown): boolean {
  return codeOf(thrown) === DISK_FULL;
}

export function isReadOnly(thrown: unknown): boolean {
  return codeOf(thrown) === READ_ONLY;
}

/** The SQLSTATE of an error of PostgreSQL, or the code of another one; empty if it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

function driverErrorOf(thrown: unknown): unknown {
  return thrown instanceof QueryFailedError ? thrown.driverError : thrown;
}
