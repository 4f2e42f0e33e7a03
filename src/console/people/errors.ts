import { ApiError } from '../../http/errors/api-error.js';

export class SignInRequiredError extends ApiError {
  readonly statusCode = 401;
  override readonly name = 'invalid_access';
  readonly code = 'sign_in_required';
  /** RFC 9110, section 15.5.2, requires a challenge. */
  override readonly headers = { 'WWW-Authenticate': 'Session' };

  /** @param hasOidc - whether people sign in at an identity provider */
  constructor(readonly hasOidc: boolean) {
    super('Sign in to open this page.');
  }
}

/** The link is unknown, or it was used, or it is too old. */
export class SignInLinkError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'invalid_access';
  readonly code = 'sign_in_link_invalid';

  constructor() {
    super('This link no longer works. A link signs in once, within 15 minutes. Ask for a new one.');
  }
}

export class TooManySignInsError extends ApiError {
  readonly statusCode = 429;
  override readonly name = 'rate_limit_exceeded';
  readonly code = 'too_many_sign_ins';
  override readonly headers: Readonly<Record<string, string>>;

  /** @param retryAfterSeconds - when another link may be tried */
  constructor(retryAfterSeconds: number) {
    super('Too many sign-ins from this network failed. Try again in a minute.');
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}

/** The request comes from a page of another site. */
export class CrossSiteRequestError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'security_error';
  readonly code = 'cross_site_request';

  constructor() {
    super('This request did not come from a page of the console, so nothing was changed.');
  }
}

export class RoleRequiredError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'invalid_access';
  readonly code = 'role_required';

  constructor(needed: string, held: string) {
    super(`This needs the role ${needed}. Your role is ${held}. An admin can change it under People.`);
  }
}

/** Keys, secrets, people and settings can be changed, and sources and webhooks created or deleted, only within ten minutes of a sign-in. */
export class RecentSignInRequiredError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'invalid_access';
  readonly code = 'recent_sign_in_required';

  override readonly headers: Readonly<Record<string, string>>;

  /**
   * @param hasOidc - whether people sign in at an identity provider
   * @param form - the cookie that keeps the form; null if it could not be kept, undefined if there is nothing to keep
   */
  constructor(
    readonly hasOidc: boolean,
    form: string | null | undefined,
  ) {
    super(
      'Nothing has been changed yet: this needs a sign-in within the last 10 minutes. ' +
        (form
          ? 'Sign in again in this browser within 15 minutes. What you entered is kept.'
          : form === null
            ? 'What you entered could not be kept: go back and copy it before you sign in again.'
            : 'Sign in again, then repeat it.'),
    );
    this.headers = form ? { 'Set-Cookie': form } : {};
  }
}

/** A session cookie must not travel over plain HTTP, except on the machine itself. */
export class HttpsRequiredError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'security_error';
  readonly code = 'https_required';

  constructor() {
    super('The console needs HTTPS. Set BASE_URL to its https URL, or open it on this machine at 127.0.0.1.');
  }
}

/** No page has this path, or what it showed is gone. */
export class PageNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'page_not_found';

  constructor() {
    super('This page does not exist. Its content may have been deleted.');
  }
}

export class PersonNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'person_not_found';

  constructor() {
    super('The account has no person with this id.');
  }
}

/** The address belongs to a person who is somebody else at the identity provider. */
export class IdentityMismatchError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'invalid_access';
  readonly code = 'identity_mismatch';

  constructor(email: string) {
    super(
      `You were not signed in: ${email} belongs to another person here. If the address ` +
        'is yours now, ask an admin to remove that person under People, and sign in again.',
    );
  }
}

/** A link bypasses the identity provider, so only the operator makes one. */
export class IdentityProviderRequiredError extends ApiError {
  readonly statusCode = 409;
  override readonly name = 'validation_error';
  readonly code = 'identity_provider_required';

  constructor() {
    super(
      'No link was created: people sign in at the identity provider. If that fails, ' +
        'ask the operator of this service to make one with "console invite".',
    );
  }
}

/** The history would name the person for what another holder of the link did. */
export class KnownPersonError extends ApiError {
  readonly statusCode = 409;
  override readonly name = 'validation_error';
  readonly code = 'known_person';

  constructor(email: string) {
    super(
      `No link was made: ${email} has signed in before, and whoever has a link acts in that person's name. You can change the ` +
        'role in the list. For another link, the person asks the operator of this service ("console invite").',
    );
  }
}

/** The identity provider did not sign somebody in, or says nothing that gives a role. */
export class IdentityProviderError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'invalid_access';
  readonly code = 'identity_provider';
}
