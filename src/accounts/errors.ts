import { EXIT_CODE, operatorError } from '../process/operator-error.js';

export class InvalidAccountNameError extends operatorError(
  EXIT_CODE.wrongUsage,
  () =>
    'The name of an account must have 1 to 63 lower-case letters, digits and hyphens, and must not start with a hyphen.',
) {}

export class AccountNameTakenError extends operatorError(
  EXIT_CODE.existsAlready,
  (name: string) => `An account named ${name} already exists.`,
) {}

export class AccountNotFoundError extends operatorError(
  EXIT_CODE.notFound,
  (name: string) => `No account is named ${name}. "account list" shows all accounts.`,
) {}
