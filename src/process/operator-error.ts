import { printableLines } from './printable.js';

/** Error codes of PostgreSQL (Appendix A). */
const INSUFFICIENT_PRIVILEGE = '42501';
const READ_ONLY_SQL_TRANSACTION = '25006';
const DISK_FULL = '53100';
const INVALID_SCHEMA_NAME = '3F000';

/** The exit codes of the service and of every command. */
export const EXIT_CODE = { failed: 1, wrongUsage: 2, notFound: 3, existsAlready: 4 } as const;

/** An error for the operator. The message says what happened and what to do. */
export class OperatorError extends Error {
  override readonly name: string = this.constructor.name;
  readonly exitCode: number = EXIT_CODE.failed;
}

/** A command, a setting, or an input of the operator cannot be used. */
export class UsageError extends OperatorError {
  override readonly exitCode: number = EXIT_CODE.wrongUsage;
}

/**
 * Makes the base of a class of errors from its facts.
 *
 * @param message - makes the message from the arguments of the constructor
 */
export function operatorError<Args extends unknown[]>(
  exitCode: number,
  message: (...args: Args) => string,
): new (...args: Args) => OperatorError {
  return class extends OperatorError {
    override readonly exitCode = exitCode;

    constructor(...args: Args) {
      super(message(...args));
    }
  };
}

/** Prints a problem on standard error, with a stack trace only if it is unexpected; returns the exit code. */
export function reportProblem(problem: unknown): number {
  if (problem instanceof OperatorError) {
    console.error(printableLines(problem.message));
    return problem.exitCode;
  }
  const { stack } = problem as Error;
  console.error(printableLines(messageFor(problem as SystemError) ?? stack ?? String(problem)));
  return EXIT_CODE.failed;
}

/**
 * Thrown by Node when a port cannot be opened, and by PostgreSQL when a privilege or a schema is missing, the database is
 * read-only, or its disk is full.
 */
interface SystemError {
  code?: string;
  message?: string;
  address?: string;
  hostname?: string;
  port?: number;
}

/** @param setting - the name of the setting for the port, if the problem is a port */
export function messageFor(
  { code = '', message, address, hostname, port }: SystemError,
  setting = 'PORT',
): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `The port ${port} of ${address} is in use. Set ${setting} to a free port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This machine has no address ${address ?? hostname}. Set HOST to one of its addresses, or to 0.0.0.0 for all.`;
    case 'EACCES':
      return port ? `This user may not listen on port ${port}. Set ${setting} to one above 1023.` : undefined;
    case INSUFFICIENT_PRIVILEGE:
      return `The user in DATABASE_URL lacks a privilege (docs/operations.md lists those it needs): ${message}`;
    case READ_ONLY_SQL_TRANSACTION:
      return (
        'The database at DATABASE_URL is read-only: it is a standby, or default_transaction_read_only is on. ' +
        'Name the primary, or turn the setting off.'
      );
    case INVALID_SCHEMA_NAME:
      return 'The search_path of the user in DATABASE_URL names no schema that exists and that the user may use.';
    case DISK_FULL:
      return `The disk of the database is full (${message}). Free space on it, and try again.`;
    default:
      return undefined;
  }
}
