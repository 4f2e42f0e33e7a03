import { EXIT_CODE, OperatorError } from '../process/operator-error.js';

/** A name that no account can have. */
export class InvalidAccountNameError extends OperatorError {
  override readonly name = 'InvalidAccountNameError';
  override readonly exitCode = EXIT_CODE.wrongUsage;

  constructor() {
    super(
      'The name of an account has 1 to 63 lower-case letters, digits and hyphens, and no hyphen at its start.',
    );
  }
}

/** There is an account of that name. */
export class AccountNameTakenError extends OperatorError {
  override readonly name = 'AccountNameTakenError';
  override readonly exitCode = EXIT_CODE.existsAlready;

  constructor(name: string) {
    super(`There is an account ${name} already.`);
  }
}

/** There is no account of that name. */
export class AccountNotFoundError extends OperatorError {
  override readonly name = 'AccountNotFoundError';
  override readonly exitCode = EXIT_CODE.notFound;

  constructor(name: string) {
    super(`There is no account ${name}. "account list" shows those there are.`);
  }
}
