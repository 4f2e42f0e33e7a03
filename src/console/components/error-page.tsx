import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { ApiError } from '../../http/errors/api-error.js';
import { RecentSignInRequiredError, SignInRequiredError } from '../people/errors.js';
import type { Visitor } from '../people/sessions.service.js';
import { ConsolePage, OutsidePage } from './console-page.js';
import { formPageOf } from './form-page.js';
import { SignInHelp } from './sign-in-help.js';

const TITLES: Record<number, string> = {
  401: 'Sign in',
  403: 'Not allowed',
  404: 'Not found',
  503: 'Not available at the moment',
};

/** The page for a person whose request failed. */
export function ConsoleErrorPage(error: ApiError, request: IncomingMessage & { visitor?: Visitor }) {
  const { visitor } = request;
  const title =
    error instanceof RecentSignInRequiredError
      ? 'Sign in again'
      : (TITLES[error.statusCode] ?? STATUS_CODES[error.statusCode]!);
  if (!visitor) {
    return (
      <OutsidePage title={title}>
        <p>{error.message}</p>
        {error instanceof SignInRequiredError && (
          <SignInHelp hasOidc={error.hasOidc} returnTo={formPageOf(request)} />
        )}
        <p>
          <a href="/console/sign-in">Sign in</a>
        </p>
      </OutsidePage>
    );
  }
  return (
    <ConsolePage visitor={visitor} title={title} section="">
      <section class="card">
        <p>{error.message}</p>
        {error instanceof RecentSignInRequiredError && (
          <SignInHelp
            hasOidc={error.hasOidc}
            email={visitor.email}
            account={visitor.accountName}
            returnTo={formPageOf(request)}
          />
        )}
        <p>
          <a href="/console">Go to the search</a>
        </p>
      </section>
    </ConsolePage>
  );
}
