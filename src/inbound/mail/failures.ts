import { domainOf, type EmailAddress } from '../../email-address/email-address.js';
import { addressOf } from '../parsing/report.js';
import { mailedFromOutside } from '../parsing/receiver-network.js';
import { bouncedRecipients } from '../parsing/ses-notification.js';
import { toAddress } from './address-text.js';
import { readBounceText, type BounceText } from './bounce-text.js';
import { failedRecipientsField, failuresInWords } from './failures-in-words.js';
import { isFailureNotice, isFromMachine } from './machine.js';
import { header, partOf, partsOf, type Message } from './message.js';
import type { OpenedMessage, ReturnedMessage } from './opened-message.js';
import { MAX_RECIPIENTS, readDeliveryStatus, type FailedRecipient } from './report-fields.js';
import type { Failure } from './mail-report.js';
import { sesNotificationIn } from './ses-notification.js';

export interface Failures {
  envelopeId: string | null;
  failures: Failure[];
}

export const NO_FAILURES: Failures = { envelopeId: null, failures: [] };
const MULTIPART_REPORT = /^\s*multipart\/report\b/i;
const STATUS_TYPES = ['message/delivery-status', 'message/global-delivery-status'];

/** Read receipts (RFC 8098) and TLS reports (RFC 8460) do not report failures. */
const OTHER_REPORTS = [
  'message/disposition-notification',
  'message/global-disposition-notification',
  'application/tlsrpt+gzip',
  'application/tlsrpt+json',
];

/** A filter of the recipient may refuse a message by a disposition notification (RFC 5429, section 2.2). */
const REJECTION = /^disposition:\s*automatic-action\/[^;\n]{0,80};\s*deleted/im;

/**
 * Reads the failed recipients from the most reliable place that names any.
 *
 * @returns undefined if the message reports a failure but does not name a recipient
 */
export function readFailures(opened: OpenedMessage): Failures | undefined {
  const { message, lines } = opened;
  const otherReport = partOf(message, ...OTHER_REPORTS);
  if (otherReport !== undefined && !REJECTION.test(otherReport)) {
    return NO_FAILURES;
  }
  // InterMail gives its note for people the same type.
  const parts = isMachineReport(message) ? partsOf(message, ...STATUS_TYPES) : [];
  const { envelopeId = null, recipients, failures } = readDeliveryStatus(parts.join('\n\n'));
  if (recipients > 0) {
    return { envelopeId, failures: toFailures(failures, opened) };
  }
  const bounced = failuresOfSes(message);
  if (bounced.length > 0) {
    return { envelopeId: null, failures: toFailures(bounced, opened) };
  }
  if (wrapsReport(opened)) {
    return undefined;
  }
  if (!isFailureNotice(message, lines)) {
    return NO_FAILURES;
  }
  const inFields = toFailures(readDeliveryStatus(lines.join('\n')).failures, opened);
  if (inFields.length > 0) {
    return { envelopeId: null, failures: inFields };
  }
  const inWords = returnsReport(opened) ? [] : failuresInWords(opened);
  return inWords.length > 0 ? { envelopeId: null, failures: inWords } : undefined;
}

/** RFC 6522; some mail servers send the part for machines in a different multipart. */
function isMachineReport(message: Message): boolean {
  return MULTIPART_REPORT.test(header(message, 'content-type')) || isFromMachine(message);
}

/** The recipient of a returned report is the sender of the mail that failed. */
function returnsReport({ returned }: OpenedMessage): boolean {
  return MULTIPART_REPORT.test(returned.headers.get('content-type') ?? '');
}

/** Gateways wrap the report of a mail server under its own subject; a person who forwards one changes the subject. */
function wrapsReport(opened: OpenedMessage): boolean {
  const { message, returned } = opened;
  const isSameSubject = header(message, 'subject') === returned.headers.get('subject');
  return isFromMachine(message) && isSameSubject && returnsReport(opened);
}

function failuresOfSes(message: Message): FailedRecipient[] {
  return bouncedRecipients(sesNotificationIn(message))
    .slice(0, MAX_RECIPIENTS)
    .filter(({ action }) => action !== 'delayed')
    .map(({ recipient, status, diagnostic }) => ({
      original: toAddress(recipient && addressOf(recipient)),
      final: undefined,
      status: status ?? null,
      diagnostic: diagnostic?.replace(/^smtp;\s*/, '') ?? null,
    }));
}

/** The mailed addresses behind those that a report names, which may be those of a forwarding. */
export function mailedRecipients(addresses: EmailAddress[], opened: OpenedMessage): EmailAddress[] {
  const text = readBounceText(opened.lines);
  const failed = { original: undefined, status: null, diagnostic: null };
  const mailed = addresses.map(
    (final) => mailedAddress({ ...failed, final }, addresses.length === 1, opened, text) ?? final,
  );
  return [...new Set(mailed)];
}

function toFailures(recipients: FailedRecipient[], opened: OpenedMessage): Failure[] {
  if (recipients.length === 0) {
    return [];
  }
  const text = readBounceText(opened.lines);
  const { preamble, allWords } = text;
  const failures = new Map<EmailAddress, Failure>();
  for (const failed of recipients) {
    const recipient = mailedAddress(failed, recipients.length === 1, opened, text);
    if (recipient && !failures.has(recipient)) {
      const { final, status, diagnostic } = failed;
      const words = () => (final && text.words(final)) || text.words(recipient);
      failures.set(recipient, { recipient, status, diagnostic, words, preamble, allWords });
    }
  }
  return [...failures.values()];
}

/**
 * Behind a forwarding, or inside the receiver's network, the address that failed is not the one that was mailed (RFC
 * 3464, sections 2.3.1 and 2.3.2). A server that repeats it as the original recipient was not told any other.
 */
function mailedAddress(
  { original, final }: FailedRecipient,
  isOnly: boolean,
  { message, returned }: OpenedMessage,
  text: BounceText,
): EmailAddress | undefined {
  const proven = isOnly ? provenRecipient(returned) : undefined;
  if (final === undefined) {
    return original ?? (isOnly ? failedRecipientsField(message)[0] : undefined) ?? proven;
  }
  const named = proven === final ? final : (original ?? final);
  const outside = isPost(returned) ? undefined : mailedFromOutside(named, isOnly, returned);
  if (outside || named !== final) {
    return outside ?? named;
  }
  if (!returned.traced.has(final)) {
    return proven ?? text.mailed(final);
  }
  return proven && wasSubmittedFor(proven, returned) ? proven : final;
}

/** An expanded address in the sender's own domain is a mailing list, whose members fail in its name. */
function wasSubmittedFor(address: EmailAddress, { submittedFor, senders }: ReturnedMessage): boolean {
  return address === submittedFor && senders.every((sender) => domainOf(sender) !== domainOf(address));
}

/**
 * The trace of a post to a mailing list proves nothing: members of the list fail in its name. Nor does that of a mail that is
 * addressed to its own sender, because its readers are in Bcc.
 */
function provenRecipient(returned: ReturnedMessage): EmailAddress | undefined {
  const { recipients, senders, traced } = returned;
  const [recipient] = recipients.filter((address) => traced.has(address) && !senders.includes(address));
  return recipients.length === 1 && !isPost(returned) ? recipient : undefined;
}

function isPost({ headers }: ReturnedMessage): boolean {
  return headers.has('list-id') || headers.has('list-post');
}
