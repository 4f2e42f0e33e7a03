import { addressParser, type Header } from 'postal-mime';
import type { EmailAddress } from '../../email-address/email-address.js';
import { findAddresses, toAddress } from './address-text.js';
import { byName, readFieldGroups, type Field } from './header-fields.js';
import { partOf, type Message } from './message.js';

/** The header of the message that a report returns. */
export interface ReturnedMessage {
  headers: Map<string, string>;
  /** From To and Cc. */
  recipients: EmailAddress[];
  /** The addresses of its envelope on its way, as its trace fields show them (RFC 5321, section 4.4). */
  traced: ReadonlySet<EmailAddress>;
  /** From, Sender, Reply-To and Return-Path. */
  senders: EmailAddress[];
}

const MAX_HEADER_LENGTH = 64 * 1024;
const MAX_ADDRESSES_LENGTH = 2_000;
const RETURNED_TYPES = [
  'message/rfc822',
  'text/rfc822-headers',
  'message/global',
  'message/global-headers',
  'text/rfc822-header',
  'message/rfc822-headers',
];

/** Reads the header that came back in a part of its own, or else below the words of the report. */
export function readReturnedMessage(message: Message, textBelow: string): ReturnedMessage {
  const text = partOf(message, ...RETURNED_TYPES) ?? textBelow;
  const fields = readFieldGroups(text.trimStart().slice(0, MAX_HEADER_LENGTH))[0] ?? [];
  return {
    headers: byName(fields),
    recipients: addressesIn(fields, 'to', 'cc'),
    traced: new Set(fields.filter(isTrace).flatMap(({ value }) => tracedRecipients(value))),
    senders: addressesIn(fields, 'from', 'sender', 'reply-to', 'return-path'),
  };
}

type MessageField = Field | Header;

/** The addresses of header fields (RFC 5322, section 3.4), each once. */
export function addressesIn(fields: readonly MessageField[], ...names: string[]): EmailAddress[] {
  const addresses = new Set<EmailAddress>();
  for (const field of fields) {
    const { value } = field;
    if (names.includes('key' in field ? field.key : field.name)) {
      for (const { address } of addressParser(value.slice(0, MAX_ADDRESSES_LENGTH), { flatten: true })) {
        const parsed = toAddress(address);
        if (parsed) {
          addresses.add(parsed);
        }
      }
    }
  }
  return [...addresses];
}

function isTrace({ name }: Field): boolean {
  return name === 'received' || name === 'delivered-to' || name === 'x-original-to' || name === 'envelope-to';
}

function tracedRecipients(value: string): EmailAddress[] {
  const text = value.slice(0, MAX_ADDRESSES_LENGTH);
  const forClause = text.lastIndexOf('for ');
  return findAddresses(text.includes(' by ') ? text.slice(Math.max(forClause, 0)) : text).map(
    ({ address }) => address,
  );
}
