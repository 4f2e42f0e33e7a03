import type { EmailAddress } from '../../email-address/email-address.js';
import type { BounceType } from '../policy/bounce-policy.js';
import type { Classification } from '../policy/classify.js';

export interface MailReport extends Classification {
  /** The address that was mailed; null where a feedback report conceals it. */
  recipient: EmailAddress | null;
  /** Null for feedback. */
  bounceType: BounceType | null;
  /** The enhanced status code (RFC 3463), such as `5.1.1`. */
  status: string | null;
  /** What the mail server said, on one line. */
  diagnostic: string | null;
  /** RFC 5965, section 3.1, in lower case; null for a bounce. */
  feedbackType: string | null;
  /** The same object in all reports of a message. */
  reported: ReportedMail;
}

/** What identifies the mail that a report is about. All of it can be forged. */
export interface ReportedMail {
  /** Its Message-ID, without angle brackets. */
  messageId: string | null;
  /** The ENVID that the sender gave it (RFC 3461, section 4.4), decoded. */
  envelopeId: string | null;
  /** The addresses that the report was sent to: the return path of the mail, which may be signed (VERP). */
  returnPaths: EmailAddress[];
  /** Of the returned header fields, the first value of each, by name in lower case. */
  headers: ReadonlyMap<string, string>;
  /** The Message-ID of the report itself, without angle brackets. */
  reportId: string | null;
  reportedAt: Date | null;
}
