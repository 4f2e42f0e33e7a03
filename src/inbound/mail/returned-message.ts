import { addressParser, type Header } from 'postal-mime';
import type { EmailAddress } from '../../email-address/email-address.js';
import { clip, findAddresses, toAddress } from './address-text.js';
import { byName, readFieldGroups, type Field } from './report-fields.js';
import { partOf, type Message } from './message.js';

export interface ReturnedMessage {
  headers: Map<string, string>;
  recipients: EmailAddress[];
  /** The envelope recipients in its trace fields. */
  traced: ReadonlySet<EmailAddress>;
  /** The envelope recipient in the oldest trace field, which the sender's own server wrote. */
  submittedFor: EmailAddress | undefined;
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
/** Mail servers note the recipient of a delivery in these fields. */
const DELIVERY_FIELDS = ['delivered-to', 'x-original-to', 'envelope-to'];
/** The only clause of Received that names a recipient (RFC 5321, section 4.4): comments may name anybody else. */
const FOR_CLAUSE = /\sfor\s+<?([^\s<>;]{1,330})/i;

/** The returned message as text: from a part of its own, or else from below the words of the report. */
export function returnedText(message: Message, below: string): string {
  return partOf(message, ...RETURNED_TYPES) ?? below;
}

export function readReturnedMessage(text: string): ReturnedMessage {
  const fields = readFieldGroups(clip(text.trimStart(), MAX_HEADER_LENGTH))[0] ?? [];
  const oldest = fields.findLast(({ name }) => name === 'received');
  return {
    headers: byName(fields),
    recipients: addressesIn(fields, 'to', 'cc'),
    traced: new Set(fields.flatMap(envelopeRecipients)),
    submittedFor: oldest && envelopeRecipients(oldest)[0],
    senders: addressesIn(fields, 'from', 'sender', 'reply-to', 'return-path'),
  };
}

/** The addresses in header fields (RFC 5322, section 3.4), without repetitions. */
export function addressesIn(fields: readonly (Field | Header)[], ...names: string[]): EmailAddress[] {
  const addresses = new Set<EmailAddress>();
  for (const field of fields) {
    if (names.includes('key' in field ? field.key : field.name)) {
      for (const { address } of addressParser(clip(field.value, MAX_ADDRESSES_LENGTH), { flatten: true })) {
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
