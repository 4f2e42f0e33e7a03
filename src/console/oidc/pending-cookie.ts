import type { PendingSignIn } from './oidc-client.js';

/** What the browser keeps while somebody signs in at the identity provider. */
export interface PendingCookie extends PendingSignIn {
  /** The account whose console to open; empty for the first one in which the person has a role. */
  account: string;
  /** The page of the console to open. */
  returnTo: string;
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
