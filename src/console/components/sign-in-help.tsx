import type { JSX } from 'preact';

/** How to get a link that signs in. */
export function SignInHelp({ email, account }: { email?: string; account?: string }): JSX.Element {
  return (
    <>
      <p>
        A link signs you in. It works once, within 15 minutes. An admin of the account can make one under
        People, and the operator of this service with:
      </p>
      <p class="copy">
        npm run cli -- console invite {email ?? 'ada@example.com'} --account {account ?? 'acme'}
      </p>
    </>
  );
}
