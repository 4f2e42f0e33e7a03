import type { IncomingMessage } from 'node:http';
import type { ApiError } from '../../http/errors/api-error.js';
import { InternalServerError } from '../../http/errors/errors.js';
import type { TracedResponse } from '../../http/responses/response.js';
import { RecentSignInRequiredError, SignInRequiredError } from '../people/errors.js';
import type { Visitor } from '../people/sessions.service.js';
import { Card } from './content.js';
import { ConsolePage, OutsidePage } from './console-page.js';
import { formPageOf } from './form.js';
import { urlOf } from './list.js';
import { inWordsOfForm } from './words-of-form.js';

const TITLES: Record<number, string> = {
  401: 'Sign in',
  403: 'Not allowed',
  404: 'Not found',
  503: 'Not available at the moment',
};

interface FailedRequest extends IncomingMessage {
  visitor?: Visitor;
  res?: TracedResponse;
}

/** The page for a person whose request failed. */
export function ConsoleErrorPage(error: ApiError, request: FailedRequest) {
  const { visitor, res } = request;
  const title =
    error instanceof RecentSignInRequiredError
      ? 'Sign in again'
      : (TITLES[error.statusCode] ?? 'Something went wrong');
  const problem = (
    <>
      <p>{inWordsOfForm(error)}</p>
      <RequestId error={error} id={res?.requestId} />
      {error instanceof SignInRequiredError && request.method === 'POST' && (
        <p>
          Nothing was changed. To send the form again, sign in on another tab of this browser, and then reload
          this page.
        </p>
      )}
      {(error instanceof SignInRequiredError || error instanceof RecentSignInRequiredError) && (
        <SignInHelp
          hasOidc={error.hasOidc}
          email={visitor?.email}
          account={visitor?.accountName}
          returnTo={formPageOf(request)}
        />
      )}
      <p>{visitor ? <a href="/console">Go to the search</a> : <a href="/console/sign-in">Sign in</a>}</p>
    </>
  );
  return visitor ? (
    <ConsolePage visitor={visitor} title={title} section="">
      <Card>{problem}</Card>
    </ConsolePage>
  ) : (
    <OutsidePage title={title}>{problem}</OutsidePage>
  );
}

/** With it, the operator finds what the log says about an unexpected error. */
function RequestId({ error, id }: { error: ApiError; id: string | undefined }) {
  return error instanceof InternalServerError && id ? (
    <p class="muted">
      Request <span class="mono">{id}</span>
    </p>
  ) : null;
}

interface SignInHelpProps {
  hasOidc: boolean;
  email?: string | undefined;
  account?: string | undefined;
  /** The page of the console to open afterwards. */
  returnTo?: string | undefined;
}

/** How to sign in: at the identity provider, or with a link. */
export function SignInHelp({ hasOidc, email, account, returnTo }: SignInHelpProps) {
  const invitation = `console invite ${email ?? 'ada@example.com'} --account ${account ?? 'acme'}`;
  return (
    <>
      {hasOidc && (
        <p>
          <a class="button primary" href={urlOf('/console/sign-in/oidc', { account, return: returnTo })}>
            {email ? 'Sign in again' : 'Sign in'} with your company's account
          </a>
        </p>
      )}
      <p>
        {hasOidc ? 'You can also sign in with a link.' : 'A link signs you in.'} It works once, within 15
        minutes.
        {hasOidc || email
          ? ' Only the operator of this service can make one. Open it in this browser:'
          : ' Until your first sign-in, an admin of the account can make one under People. Later ones come from the operator of this service:'}
      </p>
      <p class="copy">npm run cli -- {invitation}</p>
      <p class="muted">
        Without npm, as in the container image: <code>node dist/src/cli/main.js {invitation}</code>
      </p>
      {(account ?? 'demo') === 'demo' && (
        <p class="muted">
          If the database is embedded, and <code>WORKERS</code> is not set, <code>npm start</code> prints a
          link for the account demo.
        </p>
      )}
    </>
  );
}
