import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { InvalidEmailAddress, MAX_INPUT_LENGTH, TOO_LONG } from './invalid-email-address.js';

/** RFC 1035, section 2.3.4. */
const MAX_LABEL_BYTES = 63;
const MAX_DOMAIN_BYTES = 253;
/** Checked before `domainToASCII`, which is a URL host parser: it decodes %41, cuts at a slash and reads numbers as IPv4. */
const DOMAIN_CHARACTERS = /^(?:[a-z0-9_.-]|[^\p{ASCII}\s])+$/iu;
const ASCII_LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
const NUMBER_LABEL = /^(?:\d+|0x[0-9a-f]*)$/;
const IPV6_TAG = 'ipv6:';

/** Reads the part after the @, in Unicode or in ASCII form, or an address literal such as `[192.0.2.1]`. */
export function parseDomain(input: string): string | InvalidEmailAddress {
  if (input.length > MAX_INPUT_LENGTH) {
    return TOO_LONG;
  }
  const text = input.normalize('NFC').replace(/[.\u3002\uFF0E\uFF61]$/u, '');
  if (text === '') {
    return new InvalidEmailAddress('must have a domain after the @');
  }
  const literal = parseAddressLiteral(text.toLowerCase());
  if (literal) {
    return literal;
  }
  const domain = DOMAIN_CHARACTERS.test(text) ? domainToASCII(text) : '';
  const labels = domain.split('.');
  const isDomain =
    domain.length <= MAX_DOMAIN_BYTES &&
    labels.every((label) => label.length <= MAX_LABEL_BYTES && ASCII_LABEL.test(label)) &&
    !NUMBER_LABEL.test(labels.at(-1)!);
  return isDomain ? domain : new InvalidEmailAddress('must have a valid domain after the @');
}

/** RFC 5321, section 4.1.3: `[192.0.2.1]`, or `[IPv6:2001:db8::1]` in the spelling of RFC 5952. */
function parseAddressLiteral(text: string): string | undefined {
  if (!text.startsWith('[') || !text.endsWith(']')) {
    return undefined;
  }
  const address = text.slice(1, -1);
  if (isIPv4(address)) {
    return text;
  }
  const ipv6 = address.startsWith(IPV6_TAG) ? address.slice(IPV6_TAG.length) : '';
  return isIPv6(ipv6) && !ipv6.includes('%')
    ? `[${IPV6_TAG}${new URL(`http://[${ipv6}]`).hostname.slice(1)}`
    : undefined;
}
