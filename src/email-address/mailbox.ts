import { parseEmailAddress, type EmailAddress } from './email-address.js';
import { InvalidEmailAddress } from './invalid-email-address.js';

const MAX_LENGTH = 1_000;
const QUOTED = /"(?:[^"\\]|\\.)*"/s;
const MAILBOX = new RegExp(`^((?:${QUOTED.source}|[^"<>])*)<([^<>]*)>$`, 's');

/**
 * Reads an address as email programs write it, with the name of its owner or without: `"Lovelace, Ada" <ada@example.com>`
 * (RFC 5322, section 3.4).
 */
export function parseMailbox(text: string): EmailAddress | InvalidEmailAddress {
  const address = parseEmailAddress(text);
  return address instanceof InvalidEmailAddress && text.includes('<')
    ? parseEmailAddress(withoutName(text))
    : address;
}

export function isMailbox(text: string): boolean {
  return !(parseMailbox(text) instanceof InvalidEmailAddress);
}

/** The address in angle brackets. A text without them, or with another address before them, stays as it is. */
export function withoutName(text: string): string {
  const [, name = '', address = text] = (text.length <= MAX_LENGTH && MAILBOX.exec(text.trim())) || [];
  const unquoted = name.replaceAll(new RegExp(QUOTED, 'gs'), '').trim();
  return unquoted.includes('@') && parseEmailAddress(unquoted) !== parseEmailAddress(address)
    ? text
    : address;
}
