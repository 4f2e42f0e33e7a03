import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { Invalid, PLUS_HINT } from '../validation/parsers.js';

/** Why an input is not an address, as the end of a sentence. */
export class InvalidEmailAddress extends Invalid {}

/** Longer than the 254 bytes that RFC 5321 allows, because relays and signed return paths do use longer ones. */
export const MAX_ADDRESS_BYTES = 320;
/** Leaves room for white space around the address. */
const MAX_INPUT_LENGTH = 2 * MAX_ADDRESS_BYTES;
const TOO_LONG = new InvalidEmailAddress(`must not be longer than ${MAX_ADDRESS_BYTES} bytes`);

/**
 * An email address in its normal form: lower case, NFC, the domain in ASCII ("A-labels"). Two spellings of one mailbox
 * have one normal form, so the normal form is the key of the list. Only {@link parseEmailAddress} creates one.
 */
export type EmailAddress = string & { readonly brand: unique symbol };

/** Longer than the 64 bytes that RFC 5321 allows, because relays and signed return paths do use longer ones. */
const MAX_LOCAL_PART_BYTES = 256;

/** The domain of the names that stand for erased addresses. No mail can be sent to it (RFC 6761). */
export const ERASED_DOMAIN = 'erased.invalid';

const CONTROL_CHARACTER = /\p{Cc}/u;
/** Stands for bytes that a decoder could not read, such as Latin-1 that was read as UTF-8. */
const REPLACEMENT_CHARACTER = '\u{FFFD}';
/** Applies to local parts. In a domain, IDNA decides, because a zero-width non-joiner is part of Persian names. */
const INVISIBLE_CHARACTER = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\u{2800}]/u;
/**
 * What a local part can contain without quotation marks: RFC 5322 atext, RFC 6531 UTF-8, and dots wherever old mailboxes have
 * them.
 */
const UNQUOTED_LOCAL_PART = /^[^\s"(),:;<>@[\\\]]+$/u;
const QUOTED_LOCAL_PART = /^"(?:[^"\\]|\\.)+"$/u;

/**
 * Nearly every address: ASCII without quotation marks, with a last label that begins with a letter. Its normal form is its
 * lower case. Two hyphens may begin an A-label, which needs the complete parser.
 */
const PLAIN_ADDRESS =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?!.*--)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;

const MAX_PLAIN_LENGTH = 254;

/**
 * Reads an address as people, clients, and mail providers write it. Dots and `+tags` remain, because they can be other
 * people's mailboxes. Unnecessary quotation marks are removed (RFC 5321, section 4.1.2).
 *
 * @returns the normal form, or why the input is not an address
 */
export function parseEmailAddress(input: unknown): EmailAddress | InvalidEmailAddress {
  if (typeof input !== 'string') {
    return new InvalidEmailAddress('must be a string');
  }
  if (input.length <= MAX_PLAIN_LENGTH && PLAIN_ADDRESS.test(input)) {
    return refuseErased(input.toLowerCase());
  }
  return readEmailAddress(input);
}

/** Reads an address in a query, where a `+` that is not percent-encoded stands for a space. */
export function parseEmailInQuery(input: unknown): EmailAddress | InvalidEmailAddress {
  const address = parseEmailAddress(input);
  return address instanceof InvalidEmailAddress && typeof input === 'string' && input.trim().includes(' ')
    ? new InvalidEmailAddress(address.problem + PLUS_HINT)
    : address;
}

/** Refuses the pseudonym of an erased address: with two names, the address could get two records. */
function refuseErased(address: string): EmailAddress | InvalidEmailAddress {
  return address.endsWith(`@${ERASED_DOMAIN}`)
    ? new InvalidEmailAddress('must not stand for an erased address: use the address itself, or an id')
    : (address as EmailAddress);
}

export function localPartOf(address: string): string {
  return address.slice(0, address.lastIndexOf('@'));
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** The complete parser. The shortcut for plain addresses in {@link parseEmailAddress} is five times as fast. */
export function readEmailAddress(input: string): EmailAddress | InvalidEmailAddress {
  if (input.length > MAX_INPUT_LENGTH) {
    return TOO_LONG;
  }
  const text = input.trim().normalize('NFC');
  const at = text.lastIndexOf('@');
  const problem = problemWithCharacters(text) ?? (at < 0 ? 'must contain an @' : undefined);
  if (problem) {
    return new InvalidEmailAddress(problem);
  }
  const localPart = parseLocalPart(text.slice(0, at));
  if (localPart instanceof InvalidEmailAddress) {
    return localPart;
  }
  const domain = parseDomain(text.slice(at + 1));
  if (domain instanceof InvalidEmailAddress) {
    return domain;
  }
  const address = `${localPart}@${domain}`;
  if (Buffer.byteLength(address) > MAX_ADDRESS_BYTES) {
    return TOO_LONG;
  }
  return refuseErased(address);
}

function problemWithCharacters(text: string): string | undefined {
  if (!text.isWellFormed()) {
    return 'must be well-formed Unicode, without unpaired surrogates';
  }
  if (CONTROL_CHARACTER.test(text)) {
    return 'must not contain control characters';
  }
  if (text.includes(REPLACEMENT_CHARACTER)) {
    return 'must be in UTF-8: U+FFFD stands for a character that could not be read';
  }
  return undefined;
}

function parseLocalPart(text: string): string | InvalidEmailAddress {
  if (text === '') {
    return new InvalidEmailAddress('must have a name before the @');
  }
  if (INVISIBLE_CHARACTER.test(text)) {
    return new InvalidEmailAddress('must not contain invisible characters');
  }
  const isQuoted = QUOTED_LOCAL_PART.test(text);
  if (!isQuoted && !UNQUOTED_LOCAL_PART.test(text)) {
    return new InvalidEmailAddress(
      'must be one address alone: name@domain, without spaces, brackets or commas',
    );
  }
  const localPart = isQuoted
    ? quoteIfNeeded(foldCase(text.slice(1, -1).replace(/\\(.)/gu, '$1')))
    : foldCase(text);
  return Buffer.byteLength(localPart) > MAX_LOCAL_PART_BYTES
    ? new InvalidEmailAddress(`must not have more than ${MAX_LOCAL_PART_BYTES} bytes before the @`)
    : localPart;
}

function quoteIfNeeded(localPart: string): string {
  return UNQUOTED_LOCAL_PART.test(localPart) ? localPart : `"${localPart.replace(/["\\]/g, '\\$&')}"`;
}

/** Independent of the locale and of the position in a word: a final sigma equals any other sigma. */
export function foldCase(localPart: string): string {
  return localPart.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** RFC 1035, section 2.3.4. */
const MAX_LABEL_BYTES = 63;
const MAX_DOMAIN_BYTES = 253;
/** Checked before `domainToASCII`, which is a URL host parser: it decodes %41, cuts at a slash and reads numbers as IPv4. */
const DOMAIN_CHARACTERS = /^(?:[a-z0-9_.-]|[^\p{ASCII}\s])+$/iu;
const ASCII_LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
const NUMBER_LABEL = /^(?:\d+|0x[0-9a-f]*)$/;
/** The prefix of an A-label. */
const A_LABEL = 'xn--';
/** IDNA2008 permits only these contextual characters, and the Tibetan U+0F0B (RFC 5892, section 2.6). */
const PUNCTUATION = /[^\P{P}._\-\u00B7\u05F3\u05F4\u0F0B\u30FB]/u;
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
  if (!isDomain) {
    return new InvalidEmailAddress('must have a valid domain after the @');
  }
  return domain.includes(A_LABEL) && PUNCTUATION.test(domainToUnicode(domain))
    ? new InvalidEmailAddress('must not have quotation marks or other punctuation in its domain')
    : domain;
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

/** A domain as people write it, such as `bücher.example`, if the result means the same domain. */
export function inUnicode(domain: string): string {
  const unicode = domainToUnicode(domain);
  return domainToASCII(unicode) === domain ? unicode : domain;
}
