import type { EmailAddress } from '../email-address/email-address.js';
import type { Answer } from './answer.js';
import type { MailPurpose } from './purpose.js';

/** What answers the questions: the service, or a local copy of the list. */
export interface VerdictSource {
  /** @throws {UnknownVerdictError} */
  check(email: EmailAddress, purpose: MailPurpose): Promise<Answer> | Answer;
  close(): Promise<void>;
}

/** Why a verdict is unknown; the label of a metric. */
export type FailureReason =
  | 'unreachable'
  | 'timeout'
  | 'unavailable'
  | 'rate_limited'
  | 'unauthorized'
  | 'forbidden'
  | 'refused'
  | 'unknown_topic'
  | 'wrong_response'
  | 'stale'
  | 'internal';

export class UnknownVerdictError extends Error {
  override readonly name = 'UnknownVerdictError';

  constructor(
    readonly reason: FailureReason,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(reason);
  }
}
