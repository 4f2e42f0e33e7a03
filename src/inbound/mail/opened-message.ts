import { addressesIn, readReturnedMessage, type ReturnedMessage } from './returned-message.js';
import { divideReportText } from './report-text.js';
import { header, readMessage, type Message } from './message.js';
import { fromMailDate } from '../parsing/timestamp.js';
import type { ReportedMail } from './report.js';

/** A message taken apart: what it says, and what it returns. */
export interface OpenedMessage {
  message: Message;
  /** Its words for people, line by line, without the returned message. */
  lines: string[];
  /** The text below them, from the first header field on. */
  below: string;
  returned: ReturnedMessage;
  reported: ReportedMail;
}

/** Where mail servers note the address that a message was delivered to. */
const DELIVERY_FIELDS = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'to'];

export async function openMessage(raw: Uint8Array): Promise<OpenedMessage> {
  const message = await readMessage(raw);
  const { lines, below } = divideReportText(message.text);
  const returned = readReturnedMessage(message, below);
  const reported: ReportedMail = {
    messageId: messageIdIn(returned.headers.get('message-id')),
    envelopeId: null,
    returnPaths: addressesIn(message.headers, ...DELIVERY_FIELDS),
    headers: returned.headers,
    reportId: messageIdIn(header(message, 'message-id')),
    reportedAt: fromMailDate(header(message, 'date')),
  };
  return { message, lines, below, returned, reported };
}

function messageIdIn(field = ''): string | null {
  return /<([^<>\s]{1,900})>/.exec(field)?.[1] ?? null;
}
