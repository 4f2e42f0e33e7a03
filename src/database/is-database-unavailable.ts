import { QueryFailedError } from 'typeorm';
import { DeadlineExceededError } from './errors.js';

/** Of Node: the server cannot be reached, or the connection broke. */
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
 * Of PostgreSQL (Appendix A, error codes): connection exceptions, invalid authorization, no such database, transaction
 * rollback, out of resources, locked, cancelled and shutting down, and read only, as a server is after a failover.
 */
const SQLSTATES = /^(?:08|28|3D|40|53|55|57)...$|^25006$/;

/** Of pg, which gives these no code. */
const MESSAGES = [
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed',
  'timeout expired',
  'timeout exceeded when trying to connect',
];

/** Whether an error says that the database is away or too slow, so that the same request may succeed later. */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  const error = thrown instanceof QueryFailedError ? thrown.driverError : thrown;
  if (!(error instanceof Error)) {
    return false;
  }
  if (error instanceof DeadlineExceededError) {
    return true;
  }
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') {
    return NETWORK_CODES.has(code) || SQLSTATES.test(code);
  }
  return MESSAGES.some((message) => error.message.startsWith(message));
}
