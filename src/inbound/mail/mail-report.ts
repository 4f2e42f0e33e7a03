import type { EmailAddress } from '../../email-address/email-address.js';
import type { BounceType } from '../policy/bounce-policy.js';
import { bestStatus, classify, isExplained, type Classification } from '../policy/classify.js';
import { REPLY_TO_SENDER } from '../policy/wording.js';

export interface MailReport extends Classification {
  /** The address that was mailed; null where a feedback report conceals it. */
  recipient: EmailAddress | null;
  /** Null for a complaint or an unsubscribe. */
  bounceType: BounceType | null;
  /** The enhanced status code (RFC 3463), such as `5.1.1`. */
  status: string | null;
  /** The mail server's answer, on one line. */
  diagnostic: string | null;
  /** The same object in all reports of a message. */
  reported: ReportedMail;
}

/** What identifies the mail that a report is about. All of it can be forged. */
export interface ReportedMail {
  /** Its Message-ID, without angle brackets. */
  messageId: string | null;
  /** The ENVID that the sender gave it (RFC 3461, section 4.4), decoded. */
  envelopeId: string | null;
  /** The addresses that the report was sent to, which are the return paths of the mail and may be signed (VERP). */
  returnPaths: EmailAddress[];
  /** The first value of each returned header field, by name in lower case. */
  headers: ReadonlyMap<string, string>;
  /** All returned List-Unsubscribe fields, joined. */
  unsubscribeFields: string;
  /** The Message-ID of the report itself, without angle brackets. */
  reportId: string | null;
  reportedAt: Date | null;
}

/** A recipient that a message could not be delivered to, and what mail servers said about it. */
export interface Failure {
  recipient: EmailAddress;
  status: string | null;
  diagnostic: string | null;
  words(): string;
  preamble: string;
  allWords: string;
}

export interface Explanation {
  status: string | null;
  diagnostic: string | null;
}

const MAX_DIAGNOSTIC_LENGTH = 1_000;
/** A note in the form of Postfix. */
const IN_REPLY = ' (in reply to MAIL FROM command)';

/**
 * Chooses the explanation of a failure: the diagnostic if it explains the failure, otherwise the text for people. In that text,
 * a quoted reply comes first, then the words about the recipient, then all words unless the status is enough. The text before
 * the first recipient comes last: a reply in it, or else words that do not suppress, since they may describe bounces in
 * general.
 */
export function explain({ status, diagnostic, words, preamble, allWords }: Failure): Explanation {
  const own = words();
  const isEnough = status !== null && isExplained({ status });
  const other = isEnough ? '' : allWords;
  const all = `${own} ${other}`;
  const choices = diagnostic
    ? [diagnostic, replyIn(own || other), `${diagnostic} ${own || other}`]
    : [replyIn(own), own, replyIn(all), all];
  const general = isEnough ? [] : [replyIn(preamble), isHarmless(status, preamble) ? preamble : null];
  const choice = [...choices, ...general].find((text) => text && isExplained({ status, diagnostic: text }));
  const line = oneLine(choice ?? diagnostic ?? (own || other), MAX_DIAGNOSTIC_LENGTH);
  const command = REPLY_TO_SENDER.test(own.toLowerCase()) && !REPLY_TO_SENDER.test(line.toLowerCase());
  const text = command ? `${oneLine(line, MAX_DIAGNOSTIC_LENGTH - IN_REPLY.length)}${IN_REPLY}` : line;
  return { status: bestStatus(status, text), diagnostic: text || null };
}

function isHarmless(status: string | null, diagnostic: string): boolean {
  return classify({ status, diagnostic }).effect !== 'suppress';
}

function oneLine(text: string, maxLength: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, maxLength).toWellFormed();
}

function replyIn(words: string): string | null {
  const start = words.search(/(?:^|[\s:([])[45][0-5]\d[- ]/);
  return start < 0 ? null : words.slice(start).replace(/^[\s:([]/, '');
}
