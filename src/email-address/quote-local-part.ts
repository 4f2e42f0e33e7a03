import { parseEmailAddress } from './email-address.js';
import { InvalidEmailAddress } from './invalid-email-address.js';

/** Mail servers ask about the internal form of an address, which has no quotation marks: `a b@example.com`. */
export function quoteLocalPart(address: string): string {
  const at = address.lastIndexOf('@');
  return at > 0 && parseEmailAddress(address) instanceof InvalidEmailAddress
    ? `"${address.slice(0, at).replace(/["\\]/g, '\\$&')}"${address.slice(at)}`
    : address;
}
