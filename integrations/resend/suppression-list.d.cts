export interface SuppressionListOptions {
  /** Base URL of the suppression list. */
  url: string;
  /** An API key with the scope `suppressions:check`; for transactional mail also `suppressions:check-transactional`. */
  apiKey: string;
  /** What to do if the list cannot be asked: send the email without a check, or throw. */
  onUnavailable: 'send' | 'throw';
  /** What to do with suppressed recipients: drop them and send to the others, or refuse the email. Default: `drop`. */
  onSuppressed?: 'drop' | 'throw';
  /** `any`, `transactional`, or the id or the key of a topic. Default: `any`. */
  purpose?: string;
  /** How long a request to the list may take. Default: 2000. */
  timeoutMs?: number;
}

/** The email was refused, because `onSuppressed` is `throw`. */
export declare class RecipientsSuppressedError extends Error {
  readonly code: 'ESUPPRESSED';
  /** The suppressed addresses. */
  readonly recipients: string[];
}

/** The email was not sent, because `onUnavailable` is `throw`. */
export declare class SuppressionListUnavailableError extends Error {
  readonly code: 'ESUPPRESSIONLIST';
}

/**
 * Adds the check to `emails` and `batch` of a Resend client, and returns that client. If nobody is left, `data` and `error` are
 * both null, contrary to the types of the client.
 */
export declare function withSuppressionList<T extends { emails: object; batch: object }>(
  resend: T,
  options: SuppressionListOptions,
): T;
