import { OutsidePage } from '../../components/console-page.js';
import { SignInHelp } from '../../components/error-page.js';

export function SignInPage({ hasOidc }: { hasOidc: boolean }) {
  return (
    <OutsidePage title="Sign in">
      <SignInHelp hasOidc={hasOidc} />
    </OutsidePage>
  );
}

interface SignInLinkPageProps {
  token: string;
  hasOidc: boolean;
  problem?: string;
}

/** Scanners of mail open every link, so only the button uses it. */
export function SignInLinkPage({ token, hasOidc, problem }: SignInLinkPageProps) {
  return (
    <OutsidePage title="Sign in">
      {problem ? (
        <>
          <div class="notice bad" role="alert">
            <p>{problem}</p>
          </div>
          <SignInHelp hasOidc={hasOidc} />
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
