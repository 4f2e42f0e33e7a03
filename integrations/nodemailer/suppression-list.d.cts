/** What the `sendMail` of a transporter needs to have. */
interface MailTransporter {
  sendMail(mail: never): Promise<unknown>;
  use(step: string, plugin: never): unknown;
}

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
 * Adds the check to a transporter of nodemailer, and returns that transporter. It can also be the `transport` of
 * `@nestjs-modules/mailer`.
 */
export declare function withSuppressionList<T extends MailTransporter>(
  transporter: T,
  options: SuppressionListOptions,
): T;
