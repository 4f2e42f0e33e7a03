import type { EmailAddress } from '../../email-address/email-address.js';
import { addressOf } from '../parsing/mailbox.js';
import { bouncedRecipients } from '../parsing/ses-notification.js';
import { findAddresses, toAddress } from './address-text.js';
import { readBounceText, type BounceText } from './bounce-text.js';
import { readDeliveryStatus, type FailedRecipient } from './delivery-status.js';
import { isFromMachine, natureOf } from './machine.js';
import { header, partOf, type Message } from './message.js';
import type { OpenedMessage } from './opened-message.js';
import { addressesIn, type ReturnedMessage } from './returned-message.js';
import { sesNotificationIn } from './ses-notification.js';

/** A recipient that was not reached, and where to look for what was said of it. */
export interface Failure {
  recipient: EmailAddress;
  status: string | null;
  diagnostic: string | null;
  /** The words for people that name the recipient, and all of them. */
  words(): string;
  allWords: string;
}

export interface Failures {
  envelopeId: string | null;
  failures: Failure[];
}

export const NO_FAILURES: Failures = { envelopeId: null, failures: [] };
const MAX_RECIPIENTS = 100;
const MAX_FAILED_RECIPIENTS_LENGTH = 100_000;
const STATUS_TYPES = ['message/delivery-status', 'message/global-delivery-status'];
/** Read receipts (RFC 8098) and TLS reports (RFC 8460): reports too, but on no failure. */
const OTHER_REPORTS = [
  'message/disposition-notification',
  'message/global-disposition-notification',
  'application/tlsrpt+gzip',
  'application/tlsrpt+json',
];

/**
 * Reads which recipients failed: from the part that is made for it, else from the words of the mail server.
 *
 * @returns nothing if the message is of a failure but names nobody
 */
export function readFailures(opened: OpenedMessage): Failures | undefined {
  const { message, lines } = opened;
  if (partOf(message, ...OTHER_REPORTS) !== undefined) {
    return NO_FAILURES;
  }
  const part = isReport(opened) ? partOf(message, ...STATUS_TYPES) : undefined;
  const { envelopeId, recipients, failures } = readDeliveryStatus(part ?? '');
  if (recipients > 0) {
    return { envelopeId: envelopeId ?? null, failures: fromStatus(failures, opened) };
  }
  const notified = fromSes(message);
  if (notified.length > 0) {
    return { envelopeId: null, failures: fromStatus(notified, opened) };
  }
  if (natureOf(message, lines) !== 'failure') {
    return NO_FAILURES;
  }
  const told = fromStatus(readDeliveryStatus(lines.join('\n')).failures, opened);
  const failed = told.length > 0 ? told : fromWords(opened);
  return failed.length > 0 ? { envelopeId: null, failures: failed } : undefined;
}

function fromSes(message: Message): FailedRecipient[] {
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

/** RFC 6522; some mail servers send the part for machines in a multipart of another kind. */
function isReport({ message }: OpenedMessage): boolean {
  return /^\s*multipart\/report\b/i.test(header(message, 'content-type')) || isFromMachine(message);
}

function fromStatus(recipients: FailedRecipient[], opened: OpenedMessage): Failure[] {
  if (recipients.length === 0) {
    return [];
  }
  const text = readBounceText(opened.lines);
  const failures = new Map<EmailAddress, Failure>();
  for (const failed of recipients) {
    const recipient = mailedAddress(failed, recipients.length === 1, opened);
    if (recipient && !failures.has(recipient)) {
      const { final, status, diagnostic } = failed;
      const words = () => (final && text.words(final)) || text.words(recipient);
      failures.set(recipient, { recipient, status, diagnostic, words, allWords: text.allWords });
    }
  }
  return [...failures.values()];
}

/**
 * The address that the sender mailed. Behind a forwarding, the one that failed is another, and the mail server that
 * tells of it may know the first one or not (RFC 3464, sections 2.3.1 and 2.3.2).
 */
function mailedAddress(
  { original, final }: FailedRecipient,
  isAlone: boolean,
  { message, returned }: OpenedMessage,
): EmailAddress | undefined {
  const mailed = isAlone ? provenRecipient(returned) : undefined;
  if (final === undefined) {
    return original ?? (isAlone ? failedRecipientsField(message)[0] : undefined) ?? mailed;
  }
  return mailed === final ? final : (original ?? (returned.traced.has(final) ? final : (mailed ?? final)));
}

/**
 * The single recipient of the returned message, if its trace shows that it was mailed to. Not for a post to a mailing
 * list: its members fail in its name.
 */
function provenRecipient({ recipients, traced, headers }: ReturnedMessage): EmailAddress | undefined {
  const isPost = headers.has('list-id') || headers.has('list-post');
  const [recipient] = recipients;
  return recipients.length === 1 && !isPost && traced.has(recipient!) ? recipient : undefined;
}

function fromWords({ message, lines, returned }: OpenedMessage): Failure[] {
  const text = readBounceText(lines);
  const named = failedRecipientsField(message);
  const own = [
    ...addressesIn(message.headers, 'to', 'from', 'delivered-to', 'reply-to'),
    ...returned.senders,
  ];
  const recipients = named.length > 0 ? named : recipientsInWords(text, returned, new Set(own));
  return recipients.map((recipient) => ({
    recipient,
    status: null,
    diagnostic: null,
    words: () => text.words(recipient),
    allWords: text.allWords,
  }));
}

/** Exim names the failed recipients in a field of the header, and Gmail does after it. */
function failedRecipientsField(message: OpenedMessage['message']): EmailAddress[] {
  const fields = header(message, 'x-failed-recipients').slice(0, MAX_FAILED_RECIPIENTS_LENGTH).split(',');
  return [...new Set(fields.flatMap((field) => findAddresses(field)).map(({ address }) => address))];
}

/** The addresses that the words show as failed; in doubt, those that the returned message was addressed to. */
function recipientsInWords(
  text: BounceText,
  { recipients }: ReturnedMessage,
  own: Set<EmailAddress>,
): EmailAddress[] {
  const failed = text.failed.filter((address) => !own.has(address) || recipients.includes(address));
  const addressed = text.mentioned.filter((address) => recipients.includes(address));
  const choices = [failed, addressed, text.failed, text.aliases, recipients.length === 1 ? recipients : []];
  return choices.find((choice) => choice.length > 0) ?? [];
}
