import { ApiError } from '../http/api-error.js';

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
