import { apiError } from '../http/errors/api-error.js';
import { EXIT_CODE, operatorError } from '../process/operator-error.js';

/**
 * The request needs unsubscribe links, but the operator has not completed the settings.
 *
 * `message` names the missing setting: `PUBLIC_URL` or `SECRETS_KEY`. See [unsubscribe.md](unsubscribe.md).
 */
export class UnsubscribeLinksUnavailableError extends apiError(
  422,
  'unsubscribe_links_unavailable',
  (advice: string = 'Set PUBLIC_URL to the HTTPS URL at which recipients reach the service.') =>
    `There are no unsubscribe links yet. ${advice}`,
) {
  static withoutSecretsKey(): UnsubscribeLinksUnavailableError {
    return new UnsubscribeLinksUnavailableError('Set SECRETS_KEY, which encrypts the keys of the links.');
  }
}

/**
 * The request has `mailto: true`, but the account has no mailbox for such mail.
 *
 * Set the mailbox, as [unsubscribe.md](unsubscribe.md) describes, or leave out `mailto`.
 */
export class UnsubscribeMailboxMissingError extends apiError(
  422,
  'unsubscribe_mailbox_missing',
  'The account has no mailbox for mailto links. Set one with the command "unsubscribe set --mailbox", or leave out mailto.',
) {}

export class UnsubscribeKeyNotFoundError extends operatorError(
  EXIT_CODE.notFound,
  (id: number) => `The account has no key ${id}. "unsubscribe keys" lists its keys.`,
) {}

/** The key may still be used for new links. */
export class UnsubscribeKeyInUseError extends operatorError(
  EXIT_CODE.failed,
  (id: number) =>
    `New links may still be made with the key ${id}. Unless there is a newer key, create one with "unsubscribe rotate". Revoke the old key a minute later.`,
) {}
