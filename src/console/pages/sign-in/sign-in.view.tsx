import type { JSX } from 'preact';
import { OutsidePage } from '../../components/console-page.js';
import { SignInHelp } from '../../components/sign-in-help.js';

export function SignInPage({ hasOidc }: { hasOidc: boolean }): JSX.Element {
  return (
    <OutsidePage title="Sign in">
      {hasOidc && (
        <p>
          <a class="button primary" href="/console/sign-in/oidc">
            Sign in with your company's account
          </a>
        </p>
      )}
      <SignInHelp />
    </OutsidePage>
  );
}

/** Scanners of mail open every link, so only the button uses it. */
export function SignInLinkPage({ token, problem }: { token: string; problem?: string }): JSX.Element {
  return (
    <OutsidePage title="Sign in">
      {problem ? (
        <>
          <div class="notice bad" role="alert">
            <p>{problem}</p>
          </div>
          <SignInHelp />
        </>
      ) : (
        <form method="post" action={`/console/sign-in/${token}`} class="form">
          <p>This link signs you in once. Press the button to open the console in this browser.</p>
          <button class="primary" type="submit">
            Sign in
          </button>
        </form>
      )}
    </OutsidePage>
  );
}
