import { EXIT_CODE, OperatorError } from '../process/operator-error.js';

export class InvalidAccountNameError extends OperatorError {
  override readonly name = 'InvalidAccountNameError';
  override readonly exitCode = EXIT_CODE.wrongUsage;

  constructor() {
    super(
      'The name of an account must have 1 to 63 lower-case letters, digits and hyphens, and must not start with a hyphen.',
    );
  }
}

export class AccountNameTakenError extends OperatorError {
  override readonly name = 'AccountNameTakenError';
  override readonly exitCode = EXIT_CODE.existsAlready;

  constructor(name: string) {
    super(`An account named ${name} already exists.`);
  }
}

export class AccountNotFoundError extends OperatorError {
  override readonly name = 'AccountNotFoundError';
  override readonly exitCode = EXIT_CODE.notFound;

  constructor(name: string) {
    super(`No account is named ${name}. "account list" shows all accounts.`);
  }
}
