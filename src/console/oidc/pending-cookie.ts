import type { PendingSignIn } from './oidc-client.js';

/** What the browser keeps while somebody signs in at the identity provider. */
export interface PendingCookie extends PendingSignIn {
  /** The account whose console to open; empty for the first one in which the person has a role. */
  account: string;
  /** The page of the console to open. */
  returnTo: string;
}

/** Its path has no dots or escapes, so a browser cannot normalize it to a page outside the console. */
const OWN_PAGE = /^\/console(?:\/[\w-]+)*(?:\?[\w\-.~%!$&'()*+,;=:@/?]*)?$/;

/** A page of the console, or its first one for any other text. */
export function pageOr(text: string): string {
  return OWN_PAGE.test(text) ? text : '/console';
}

export function writePending(pending: PendingCookie): string {
  return Buffer.from(JSON.stringify(pending)).toString('base64url');
}

/** @returns null for a value that this service did not write */
export function readPending(value: string): PendingCookie | null {
  try {
    const pending = JSON.parse(Buffer.from(value, 'base64url').toString()) as PendingCookie | null;
    const fields = [pending?.state, pending?.nonce, pending?.verifier, pending?.account, pending?.returnTo];
    return fields.every((field) => typeof field === 'string') ? pending : null;
  } catch {
    return null;
  }
}
