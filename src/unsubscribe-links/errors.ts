import { ApiError } from '../http/errors/api-error.js';
import { EXIT_CODE, OperatorError } from '../process/operator-error.js';

/** The operator has to complete the settings first. */
export class UnsubscribeLinksUnavailableError extends ApiError {
  readonly statusCode = 422;
  override readonly name = 'validation_error';
  readonly code = 'unsubscribe_links_unavailable';

  /** @param problem - a sentence that says what to do */
  private constructor(problem: string) {
    super(`There are no unsubscribe links yet. ${problem}`);
  }

  static withoutHttps(): UnsubscribeLinksUnavailableError {
    return new UnsubscribeLinksUnavailableError(
      'Set PUBLIC_URL to the HTTPS URL at which recipients reach the service.',
    );
  }

  static withoutSecretsKey(): UnsubscribeLinksUnavailableError {
    return new UnsubscribeLinksUnavailableError('Set SECRETS_KEY, which encrypts the keys of the links.');
  }

  static example(): UnsubscribeLinksUnavailableError {
    return UnsubscribeLinksUnavailableError.withoutHttps();
  }
}

export class UnsubscribeMailboxMissingError extends ApiError {
  readonly statusCode = 422;
  override readonly name = 'validation_error';
  readonly code = 'unsubscribe_mailbox_missing';

  constructor() {
    super(
      'The account has no mailbox for mailto links. Set one with the command "unsubscribe set --mailbox", or leave out mailto.',
    );
  }

  static example(): UnsubscribeMailboxMissingError {
    return new UnsubscribeMailboxMissingError();
  }
}

export class UnsubscribeKeyNotFoundError extends OperatorError {
  override readonly name = 'UnsubscribeKeyNotFoundError';
  override readonly exitCode = EXIT_CODE.notFound;

  constructor(id: number) {
    super(`The account has no key ${id}. "unsubscribe keys" lists its keys.`);
  }
}

/** New links may still be made with the key. */
export class UnsubscribeKeyInUseError extends OperatorError {
  override readonly name = 'UnsubscribeKeyInUseError';

  constructor(id: number) {
    super(
      `New links are made with the key ${id}. Create another key with "unsubscribe rotate", and revoke this one a minute later.`,
    );
  }
}
