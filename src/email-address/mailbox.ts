import { InvalidEmailAddress, parseEmailAddress, type EmailAddress } from './email-address.js';

const MAX_LENGTH = 1_000;
/** A name, which may have angle brackets only in quotation marks, and an address. */
const MAILBOX = /^((?:"(?:[^"\\]|\\.)*"|[^"<>])*)<([^<>]*)>$/s;

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

/** The address in angle brackets. A text without them, or whose name contains another address, stays as it is. */
export function withoutName(text: string): string {
  const [, name = '', address = text] = (text.length <= MAX_LENGTH && MAILBOX.exec(text.trim())) || [];
  return name.includes('@') && hasOtherAddress(name, parseEmailAddress(address)) ? text : address;
}

function hasOtherAddress(name: string, address: EmailAddress | InvalidEmailAddress): boolean {
  return name
    .split(/[\s,;]+/)
    .map((word) => parseEmailAddress(word.replace(/^["']+|["']+$/g, '')))
    .some((found) => !(found instanceof InvalidEmailAddress) && found !== address);
}

/** Mail servers ask about the internal form of an address, which has no quotation marks: `a b@example.com`. */
export function quoteLocalPart(address: string): string {
  const at = address.lastIndexOf('@');
  return at > 0 && parseEmailAddress(address) instanceof InvalidEmailAddress
    ? `"${address.slice(0, at).replace(/["\\]/g, '\\$&')}"${address.slice(at)}`
    : address;
}
