import {
  InvalidEmailAddress,
  parseEmailAddress,
  type EmailAddress,
} from '../../email-address/email-address.js';

const MAX_ADDRESSES_PER_LINE = 8;
const MAX_FIELD_LENGTH = 1_000;
const MAX_LOCAL_PART_LENGTH = 256;
const MAX_DOMAIN_LENGTH = 253;
const NOT_IN_LOCAL_PART = /[\s<>()[\]"',;:\\@]/;
/** Exchange writes an Internet address as an X.400 attribute: `dda:SMTP=a@example.com;`. */
const X400_SMTP = 'SMTP=';
const IN_DOMAIN = /[\p{L}\p{N}._-]/u;

/** Marks of a redacted address, in place of a part of it or next to the rest. */
const REDACTED = /[*•…█]|(?<![\p{L}\p{N}])redacted(?![\p{L}\p{N}])/iu;
const CUT_BEFORE = /(?:[^\s>][\])}>]|[\\@])$/;
const CUT_AFTER =
  /^(?:[*•…█#@]|\.{2,}(?!\.|\s\S)|[[({<](?:redacted|removed|hidden|masked|concealed|deleted|private|xx|[.*…•]))/iu;

export interface FoundAddress {
  address: EmailAddress;
  start: number;
  end: number;
}

/** Finds the first few addresses in a line of text, in linear time: it walks outwards from each @. */
export function findAddresses(line: string): FoundAddress[] {
  const found: FoundAddress[] = [];
  let at = line.indexOf('@');
  for (let tries = 0; at >= 0 && tries < MAX_ADDRESSES_PER_LINE; tries += 1) {
    const start = startOfLocalPart(line, at);
    const end = endOfDomain(line, at);
    const address =
      end === undefined || isCut(line, start, end) ? undefined : toAddress(line.slice(start, end));
    if (address) {
      found.push({ address, start, end: end! });
    }
    at = line.indexOf('@', at + 1);
  }
  return found;
}

/** Reads the address of a report field: `rfc822; <a@example.com>` (RFC 3464, section 2.3.1; RFC 6533, section 3). */
export function readTypedAddress(value: string | undefined): EmailAddress | undefined {
  if (value === undefined) {
    return undefined;
  }
  const [, type = 'rfc822', text = ''] = /^\s*(?:([\w-]{1,40})\s*;)?(.*)$/s.exec(value) ?? [];
  if (/^x-?400$/i.test(type)) {
    return undefined;
  }
  const plain = text
    .replace(/\([^()]*\)\s*$/, '')
    .trim()
    .replace(/^<(.*)>$/s, '$1');
  const decoded = decodeAddress(plain);
  return toAddress(decoded) ?? findAddresses(clip(decoded, MAX_FIELD_LENGTH))[0]?.address;
}

/** Also undefined for a redacted address. */
export function toAddress(text: string | undefined): EmailAddress | undefined {
  const address = parseEmailAddress(text);
  const isWhole = !(address instanceof InvalidEmailAddress) && !REDACTED.test(address.split('@', 1)[0]!);
  return isWhole ? address : undefined;
}

/** Whether the address is truncated. What is left would be a different address. */
function isCut(line: string, start: number, end: number): boolean {
  return (
    CUT_BEFORE.test(line.slice(Math.max(0, start - 2), start)) || CUT_AFTER.test(line.slice(end, end + 12))
  );
}

/** Cuts a text before the first word that exceeds the length: a part of an address would be a different address. */
export function clip(text: string, maxLength: number): string {
  return text.length <= maxLength
    ? text
    : text.slice(0, Math.max(0, text.slice(0, maxLength + 1).search(/[\s,;][^\s,;]*$/)));
}

/** Decodes the characters that xtext must encode (RFC 3461, section 4), and `\x{…}` (RFC 6533, section 3). */
function decodeAddress(text: string): string {
  return text
    .replace(/\+(2B|3D)/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replace(/\\x\{([0-9A-F]{2,6})\}/g, (escape, code: string) => {
      const point = parseInt(code, 16);
      return point <= 0x10_ff_ff ? String.fromCodePoint(point) : escape;
    });
}

/** RFC 3461, section 4: `+` and two hexadecimal digits. */
export function decodeXtext(text: string): string {
  return text.replace(/\+([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

function startOfLocalPart(line: string, at: number): number {
  const least = Math.max(0, at - MAX_LOCAL_PART_LENGTH);
  if (line[at - 1] === '"') {
    const quote = line.lastIndexOf('"', at - 2);
    return quote >= least ? quote : at;
  }
  let start = at;
  const x400 = line.lastIndexOf(X400_SMTP, at);
  while (start > least && (!NOT_IN_LOCAL_PART.test(line[start - 1]!) || isApostrophe(line, start - 1))) {
    start -= 1;
  }
  return x400 >= start ? x400 + X400_SMTP.length : start;
}

/** Whether a quote is an apostrophe, as in `o'brien@example.com`. */
function isApostrophe(line: string, index: number): boolean {
  return line[index] === "'" && /[\p{L}\p{N}]/u.test(line[index - 1] ?? '');
}

function endOfDomain(line: string, at: number): number | undefined {
  const most = at + 1 + MAX_DOMAIN_LENGTH;
  let end = at + 1;
  while (end < line.length && IN_DOMAIN.test(line[end]!)) {
    if (end === most) {
      return undefined;
    }
    end += 1;
  }
  while (end > at + 1 && /[._-]/.test(line[end - 1]!)) {
    end -= 1;
  }
  return end;
}
