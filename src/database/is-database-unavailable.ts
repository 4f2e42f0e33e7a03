import { isNativeError } from 'node:util/types';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { DeadlineExceededError, StalePlanError } from './errors.js';

/** Node: the server cannot be reached, or the connection broke. */
const NETWORK_CODES = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * PostgreSQL (Appendix A, error codes): connection exceptions, invalid authorization, no such database, transaction
 * rollback, out of resources, locked, cancelled and shutting down; a transaction that was idle for too long; read only, as
 * a server is after a failover; and undefined table, if migrations are pending or the search path is wrong.
 */
const SQLSTATES = /^(?:08|28|3D|40|53|55|57)...$|^25(?:006|P03)$|^42P01$/;

const DISK_FULL = '53100';

/** pg: errors without a code. */
const MESSAGES = [
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed',
  'timeout expired',
  'timeout exceeded when trying to connect',
];

/** TypeORM throws the last one if the connection of a transaction breaks between two statements. */
const TRANSIENT_ERRORS = [DeadlineExceededError, StalePlanError, QueryRunnerAlreadyReleasedError];

/** Whether an error means that the database is unreachable, too slow or not ready, so that the request may succeed later. */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  const error = driverErrorOf(thrown);
  if (!isNativeError(error)) {
    return false;
  }
  if (TRANSIENT_ERRORS.some((transient) => error instanceof transient)) {
    return true;
  }
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') {
    return NETWORK_CODES.has(code) || SQLSTATES.test(code);
  }
  return MESSAGES.some((message) => error.message.startsWith(message));
}

export function isDiskFull(thrown: unknown): boolean {
  return (driverErrorOf(thrown) as { code?: unknown } | null | undefined)?.code === DISK_FULL;
}

function driverErrorOf(thrown: unknown): unknown {
  return thrown instanceof QueryFailedError ? thrown.driverError : thrown;
}
