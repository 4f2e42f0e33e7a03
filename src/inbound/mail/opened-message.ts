import type { EmailAddress } from '../../email-address/email-address.js';
import { fromMailDate } from '../parsing/timestamp.js';
import { header, readMessage, type Message } from './message.js';
import type { ReportedMail } from './report.js';
import { divideReportText } from './report-text.js';
import { addressesIn, readReturnedMessage, returnedText, type ReturnedMessage } from './returned-message.js';

/** A message divided into what it says and what it returns. */
export interface OpenedMessage {
  message: Message;
  lines: string[];
  /** The returned message as text; empty if the report does not include it. */
  inside: string;
  returned: ReturnedMessage;
  reported: ReportedMail;
  /** The addresses that the message itself was sent to: of a bounce, the return paths of the mail that bounced. */
  sentTo: EmailAddress[];
}

/** Mail servers note the address that a message was delivered to in these fields. */
const DELIVERY_FIELDS = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'to'];

export async function openMessage(raw: Uint8Array): Promise<OpenedMessage> {
  const message = await readMessage(raw);
  const { lines, below } = divideReportText(message.text);
  const inside = returnedText(message, below);
  const returned = readReturnedMessage(inside);
  const sentTo = addressesIn(message.headers, ...DELIVERY_FIELDS);
  const reported: ReportedMail = {
    messageId: messageIdIn(returned.headers.get('message-id')),
    envelopeId: null,
    returnPaths: sentTo,
    headers: returned.headers,
    reportId: messageIdIn(header(message, 'message-id')),
    reportedAt: fromMailDate(header(message, 'date')),
  };
  return { message, lines, inside, returned, reported, sentTo };
}

function messageIdIn(field = ''): string | null {
  return /<([^<>\s]{1,900})>/.exec(field)?.[1] ?? null;
}
