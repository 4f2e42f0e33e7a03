import { apiError, retryAfter } from '../../http/errors/api-error.js';

const ACCESS = { name: 'invalid_access' } as const;
const SECURITY = { name: 'security_error' } as const;

export class SignInRequiredError extends apiError(
  401,
  'sign_in_required',
  'Sign in to open this page.',
  // RFC 9110, section 15.5.2, requires a challenge.
  { name: 'invalid_access', headers: { 'WWW-Authenticate': 'Session' } },
) {
  /** @param hasOidc - whether people sign in at an identity provider */
  constructor(readonly hasOidc: boolean) {
    super();
  }
}

/** The link is unknown, used, or expired. */
export class SignInLinkError extends apiError(
  403,
  'sign_in_link_invalid',
  'This link no longer works. A link signs in once, within 15 minutes. Ask for a new one.',
  ACCESS,
) {}

export class TooManySignInsError extends apiError(
  429,
  'too_many_sign_ins',
  'Too many sign-ins from this network failed. Try again in a minute.',
  { headers: retryAfter },
) {}

/** The request comes from a page of another site. */
export class CrossSiteRequestError extends apiError(
  403,
  'cross_site_request',
  'This request did not come from a page of the console, so nothing was changed.',
  SECURITY,
) {}

/** The form or the download is from a page of another account: the person has changed the account in another tab. */
export class OtherAccountError extends apiError(
  403,
  'other_account',
  (account: string) =>
    `Nothing was changed: the page belongs to another account, and this browser is now signed in to ${account}. ` +
    'Sign in to the other account, then go back and try again.',
  ACCESS,
) {}

export class RoleRequiredError extends apiError(
  403,
  'role_required',
  (needed: string, held: string) =>
    `This needs the role ${needed}. Your role is ${held}. An admin can change it under People.`,
  ACCESS,
) {}

/**
 * Keys, secrets, people and settings can be changed, and sources and webhooks created or deleted, only within ten minutes of a
 * sign-in.
 */
export class RecentSignInRequiredError extends apiError(
  403,
  'recent_sign_in_required',
  (form: string | null | undefined) =>
    'Nothing has been changed yet: this needs a sign-in within the last 10 minutes. ' +
    (form
      ? 'Sign in again in this browser within 15 minutes. What you entered is kept.'
      : form === null
        ? 'What you entered could not be kept: go back and copy it before you sign in again.'
        : 'Sign in again, then repeat it.'),
  { name: 'invalid_access', headers: (form): Record<string, string> => (form ? { 'Set-Cookie': form } : {}) },
) {
  /**
   * @param hasOidc - whether people sign in at an identity provider
   * @param form - the cookie that keeps the form; null if it could not be kept, undefined if there is nothing to keep
   */
  constructor(
    readonly hasOidc: boolean,
    form: string | null | undefined,
  ) {
    super(form);
  }
}

/** A session cookie must not travel over plain HTTP, except on localhost. */
export class HttpsRequiredError extends apiError(
  403,
  'https_required',
  'The console needs HTTPS. Set BASE_URL to its https URL, or open it on this machine at 127.0.0.1.',
  SECURITY,
) {}

/** No page has this path, or its content was deleted. */
export class PageNotFoundError extends apiError(
  404,
  'page_not_found',
  'This page does not exist. Its content may have been deleted.',
) {}

/** Another admin has removed or demoted the admin who changes a person. */
export class AdminGoneError extends apiError(
  403,
  'admin_gone',
  'Nothing was changed: another admin has just changed your role, or removed you.',
  ACCESS,
) {}

export class PersonNotFoundError extends apiError(
  404,
  'person_not_found',
  'The account has no person with this id.',
) {}

/** The address belongs to a person with a different identity at the identity provider. */
export class IdentityMismatchError extends apiError(
  403,
  'identity_mismatch',
  (email: string) =>
    `You were not signed in: ${email} belongs to another person here. If the address ` +
    'is yours now, ask an admin to remove that person under People, and sign in again.',
  ACCESS,
) {}

/** A link bypasses the identity provider, so only the operator may create one. */
export class IdentityProviderRequiredError extends apiError(
  409,
  'identity_provider_required',
  'No link was created: people sign in at the identity provider. If that fails, ' +
    'ask the operator of this service to make one with "console invite".',
) {}

/** The history would attribute to the person what another holder of the link did. */
export class KnownPersonError extends apiError(
  409,
  'known_person',
  (email: string) =>
    `No link was made: ${email} has signed in before, and anyone with a link acts in that person's name. You can change the ` +
    'role in the list. For another link, the person asks the operator of this service ("console invite").',
) {}

/** The identity provider did not sign the person in, or returned no group that gives a role. */
export class IdentityProviderError extends apiError(
  403,
  'identity_provider',
  (message: string) => message,
  ACCESS,
) {}
