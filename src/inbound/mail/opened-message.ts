import { addressParser } from 'postal-mime';
import type { EmailAddress } from '../../email-address/email-address.js';
import { fromMailDate } from '../parsing/timestamp.js';
import { clip, findAddresses, toAddress } from './address-text.js';
import { partOf, header, readMessage, type Message } from './message.js';
import { byName, readFieldGroups, type Field } from './report-fields.js';
import type { ReportedMail } from './mail-report.js';

export interface ReturnedMessage {
  headers: Map<string, string>;
  /** All List-Unsubscribe fields, joined. */
  unsubscribeFields: string;
  recipients: EmailAddress[];
  /** The envelope recipients in the trace fields of the returned message. */
  traced: ReadonlySet<EmailAddress>;
  /** The envelope recipient in the oldest trace field, which the sender's own server wrote. */
  submittedFor: EmailAddress | undefined;
  senders: EmailAddress[];
}

/** The time to read a field of addresses is quadratic in its length. */
const MAX_ADDRESSES_LENGTH = 2_000;
/** The length of all fields of addresses that are read together. */
const MAX_TOTAL_LENGTH = 6_000;
const RETURNED_TYPES = [
  'message/rfc822',
  'text/rfc822-headers',
  'message/global',
  'message/global-headers',
  'text/rfc822-header',
  'message/rfc822-headers',
];
/** Mail servers note the recipient of a delivery in these fields. */
const DELIVERY_FIELDS = ['delivered-to', 'x-original-to', 'envelope-to'];
/** The only clause of Received that names a recipient (RFC 5321, section 4.4): comments may name anybody else. */
const FOR_CLAUSE = /\sfor\s+<?([^\s<>;]{1,330})/i;

function readReturnedMessage(text: string): ReturnedMessage {
  const fields = readFieldGroups(text.trimStart())[0] ?? [];
  const oldest = fields.findLast(({ name }) => name === 'received');
  return {
    headers: byName(fields),
    unsubscribeFields: fields
      .filter(({ name }) => name === 'list-unsubscribe')
      .map(({ value }) => value)
      .join(),
    recipients: addressesIn(fields, 'to', 'cc'),
    traced: new Set(fields.flatMap(envelopeRecipients)),
    submittedFor: oldest && envelopeRecipients(oldest)[0],
    senders: addressesIn(fields, 'from', 'sender', 'reply-to', 'return-path'),
  };
}

/** The addresses in header fields (RFC 5322, section 3.4), without repetitions. */
export function addressesIn(fields: readonly Field[], ...names: string[]): EmailAddress[] {
  const addresses = new Set<EmailAddress>();
  let left = MAX_TOTAL_LENGTH;
  for (const { name, value } of fields) {
    if (names.includes(name)) {
      const text = clip(value, Math.min(MAX_ADDRESSES_LENGTH, left));
      left -= text.length;
      for (const { address } of addressParser(text, { flatten: true })) {
        const parsed = toAddress(address);
        if (parsed) {
          addresses.add(parsed);
        }
      }
    }
  }
  return [...addresses];
}

function envelopeRecipients({ name, value }: Field): EmailAddress[] {
  const text = clip(value, MAX_ADDRESSES_LENGTH);
  if (DELIVERY_FIELDS.includes(name)) {
    return findAddresses(text).map(({ address }) => address);
  }
  const [, recipient] = name === 'received' ? (FOR_CLAUSE.exec(withoutComments(text)) ?? []) : [];
  const address = toAddress(recipient);
  return address ? [address] : [];
}

/** RFC 5322, section 3.2.2; an unclosed comment extends to the end. */
function withoutComments(text: string): string {
  let depth = 0;
  let plain = '';
  for (const character of text) {
    depth += character === '(' ? 1 : 0;
    plain += depth === 0 ? character : '';
    depth -= character === ')' && depth > 0 ? 1 : 0;
  }
  return plain;
}

/** A message, divided into its own text and the message that it returns. */
export interface OpenedMessage {
  message: Message;
  lines: string[];
  /** The returned message as text; empty if the report does not include it. */
  inside: string;
  returned: ReturnedMessage;
  reported: ReportedMail;
  /** The addresses that the message itself was sent to. For a bounce, these are the return paths of the mail that bounced. */
  sentTo: EmailAddress[];
}

/** The message itself names its recipient in these fields, too. */
const SENT_TO_FIELDS = [...DELIVERY_FIELDS, 'x-envelope-to', 'to'];

export async function openMessage(raw: Uint8Array): Promise<OpenedMessage> {
  const message = await readMessage(raw);
  const { lines, below } = divideReportText(message.text);
  const inside = partOf(message, ...RETURNED_TYPES) ?? below;
  const returned = readReturnedMessage(inside);
  const sentTo = addressesIn(message.headers, ...SENT_TO_FIELDS);
  const reported: ReportedMail = {
    messageId: messageIdIn(returned.headers.get('message-id')),
    envelopeId: null,
    returnPaths: sentTo,
    headers: returned.headers,
    unsubscribeFields: returned.unsubscribeFields,
    reportId: messageIdIn(header(message, 'message-id')),
    reportedAt: fromMailDate(header(message, 'date')),
  };
  return { message, lines, inside, returned, reported, sentTo };
}

function messageIdIn(field = ''): string | null {
  return /<([^<>\s]{1,900})>/.exec(field)?.[1] ?? null;
}

const MAX_LINES = 1_500;
const MAX_LINE_LENGTH = 1_000;

/** How mail servers announce the returned message, each in the same words for decades. */
const ANNOUNCEMENTS = [
  /^\W{2,10}.{0,40}\bcopy of (?:the|your) (?:\w+ )?(?:message|mail)/i,
  /^\W{0,10}(?:this is a |here is a |below (?:this line )?is a |enclosed is a |included is a |a )?copy of (?:the|your) (?:\w+ )?message/i,
  /^\W{0,10}below (?:this line )?(?:is|are|follows?) /i,
  /^\W{0,10}(?:included|enclosed) is a copy of/i,
  /^\W{2,10}(?:the )?(?:original|returned|unsent|undelivered) (?:e-?mail|message|mail)\b/i,
  /^\W{0,10}(?:the )?(?:original|unsent|undelivered) message(?: headers?)?(?: follows)?\W{0,5}$/i,
  /^\W{0,10}(?:the )?(?:original )?(?:message )?headers? (?:of the original message )?(?:is |are )?follow(?:s|ing)?\b/i,
  /^\W{0,10}(?:the )?headers? of the original message/i,
  /^\W{0,10}original message headers?\b/i,
];
const TRACE_FIELD =
  /^(?:received|return-path|message-id|mime-version|dkim-signature|x-originating-ip|x-received|delivered-to):/i;
const RULE = /^\s{0,4}-{10,200}\s*$/;
const FIELD_OF_MESSAGE = /^\s{0,4}(?:from|to|date|subject|return-path|received):/i;
/** The notices that companies append to every mail, bounces included. */
const DISCLAIMER =
  /\b(?:this|the) (?:e-?mail|message|communication|transmission|information)\b.{0,120}\b(?:confidential|privileged|intended (?:\w+ )?for|scanned|checked|swept|free (?:of|from))\b|^\W{0,10}(?:confidentiality (?:notice|note)|disclaimer|legal notice)\b/i;

/**
 * Divides the text of a report from the returned message below it, if there is one. Omits disclaimers, and quoted lines, which
 * somebody replied to.
 */
function divideReportText(text: string): { lines: string[]; below: string } {
  const all = text.split('\n', MAX_LINES).map((line) => clip(line, MAX_LINE_LENGTH));
  const cut = all.findIndex((line, index) => beginsReturnedMessage(line, all[index + 1] ?? ''));
  const lines = (cut < 0 ? all : all.slice(0, cut)).filter((line) => !isQuoted(line));
  return { lines: withoutDisclaimers(lines), below: cut < 0 ? '' : headerBelow(all.slice(cut)) };
}

function beginsReturnedMessage(line: string, next: string): boolean {
  return (
    TRACE_FIELD.test(line) ||
    (RULE.test(line) && FIELD_OF_MESSAGE.test(next)) ||
    ANNOUNCEMENTS.some((announcement) => announcement.test(line))
  );
}

/** `> text` is a quotation. sendmail marks commands it sent as `>>> RCPT TO`, and MDaemon a recipient as `> a@b`. */
function isQuoted(line: string): boolean {
  return /^\s{0,4}[>|](?!>)/.test(line) && !/^\s{0,4}>\s*<?[^\s<>@]{1,256}@[^\s<>@]{1,253}>?\s*$/.test(line);
}

/** A disclaimer ends with its paragraph. */
function withoutDisclaimers(lines: string[]): string[] {
  let isDisclaimer = false;
  return lines.filter((line) => {
    isDisclaimer = line.trim() !== '' && (isDisclaimer || DISCLAIMER.test(line));
    return !isDisclaimer;
  });
}

function headerBelow(lines: string[]): string {
  const first = lines.findIndex((line) => /^[!-9;-~]{2,77}:/.test(line));
  return first < 0 ? '' : lines.slice(first).join('\n');
}
