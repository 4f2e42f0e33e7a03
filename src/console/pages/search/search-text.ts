import {
  type EmailAddress,
  foldCase,
  InvalidEmailAddress,
  MAX_ADDRESS_BYTES,
  parseDomain,
  parseEmailAddress,
} from '../../../email-address/email-address.js';
import { parseMailbox, withoutName } from '../../../email-address/mailbox.js';
import { ValidationError } from '../../../http/errors/errors.js';
import { isPseudonym } from '../../../pseudonyms/pseudonym.js';
import type { SuppressionRef } from '../../../suppressions/suppression-ref.js';
import { Invalid, parseId } from '../../../validation/parsers.js';
import { quote } from '../../components/words.js';

/** What a person searches for, if it is neither an address nor an id: the addresses at a domain or with a beginning. */
type Search = { domain: string } | Beginning;

/** The beginning of an address. It can also be a domain, such as `example.com`. */
interface Beginning {
  prefix: string;
  domain: string | null;
}

/** Characters that no address contains outside of quotation marks. */
const NOT_IN_ADDRESS = /[\s\p{Cc}\p{Cf}<>,;]/u;
/** Characters after an @ that no domain contains. A part in quotation marks can contain an @, too. */
const NOT_IN_DOMAIN = /^[^"].*@.*[^\p{L}\p{N}\p{M}.\-_[\]:]/u;

/**
 * @param invalid - why the text is not an address
 * @throws {ValidationError}
 */
export function readSearch(text: string, invalid: InvalidEmailAddress): Search {
  const domain = parseDomain(text.replace(/^@/, ''));
  if (typeof domain === 'string' && text.startsWith('@')) {
    return { domain };
  }
  const hasWrongCharacter = NOT_IN_ADDRESS.test(text) || NOT_IN_DOMAIN.test(text);
  if (hasWrongCharacter || !text.isWellFormed() || text.length > MAX_ADDRESS_BYTES) {
    throw ValidationError.ofRequest(
      `${problemWith(text, invalid)} Enter an address such as ada@example.com, its beginning, a domain such as @example.com, or the id of a suppression.`,
    );
  }
  return {
    prefix: foldCase(text),
    domain: typeof domain === 'string' && domain.includes('.') ? domain : null,
  };
}

/** Reads an address or the id of a suppression. */
export function readRef(text: string): SuppressionRef | InvalidEmailAddress {
  const id = parseId(text);
  if (!(id instanceof Invalid)) {
    return { id };
  }
  if (isPseudonym(text)) {
    return { email: text };
  }
  const email = readPastedAddress(text);
  return email instanceof InvalidEmailAddress ? email : { email };
}

export function problemWith(text: string, { problem }: InvalidEmailAddress): string {
  return `${quote(text)} is not an email address: it ${problem}.`;
}

/** The name of a header field or an SMTP command, and the type of an address in a bounce (RFC 3464, section 2.3.1). */
const FIELD_NAME = /^\s*(?!mailto:)[a-z][a-z -]{0,40}:(?!\/)(?:\s*rfc822;)?/i;
/** Punctuation and invisible marks around an address in a sentence or a list. */
const BEFORE_ADDRESS = /^[\s\p{Cf}([{<'"“„‘‚«‹]{0,5}/u;
const AFTER_ADDRESS = /[\s\p{Cf})\]}>'"“”’‘»›.…,;:!?]{0,5}$/u;
/** RFC 6068: an address, and perhaps the fields of a message. */
const MAILTO = /^mailto:([^?]*)/i;
/** What stands between commas and semicolons. A comma or semicolon in quotation marks separates nothing. */
const PARTS = /(?:"[^"]*"|[^,;])+/g;

/** A part of a pasted list that is not an address. */
export interface Mistake {
  /** Counted from 1. */
  line: number;
  text: string;
  /** The end of a sentence, such as "must contain an @". */
  problem: string;
}

/**
 * Reads an address as people copy it: with the name of its owner, in angle brackets, or from a link.
 *
 * @returns the normal form, or why the text is not an address
 */
export function readPastedAddress(text: string): EmailAddress | InvalidEmailAddress {
  const [, linked] = MAILTO.exec(withoutName(text).trim()) ?? [];
  return linked === undefined ? parseMailbox(text) : parseEmailAddress(decode(linked));
}

/**
 * Reads an address as it was copied: after the name of a field, and with up to five characters too many before and after it. A
 * quotation mark can also begin the address, or a name before it.
 */
export function readCopiedAddress(copied: string): EmailAddress | InvalidEmailAddress {
  const text = copied.replace(FIELD_NAME, '');
  const lengthOf = (pattern: RegExp) => pattern.exec(text)![0].length;
  const [before, after] = [lengthOf(BEFORE_ADDRESS), lengthOf(AFTER_ADDRESS)];
  for (let start = before; start >= 0; start--) {
    for (let end = text.length - after; end <= text.length; end++) {
      const email = readPastedAddress(text.slice(start, end));
      if (!(email instanceof InvalidEmailAddress)) {
        return email;
      }
    }
  }
  return readPastedAddress(text);
}

/**
 * Reads addresses on separate lines, or with commas, semicolons or spaces between them. In a row of a spreadsheet, whose cells
 * have tabs between them, only the cells with an @ count.
 *
 * @returns null if there are more than `max`
 */
export function readPastedList(
  text: string,
  max: number,
): { emails: EmailAddress[]; mistakes: Mistake[] } | null {
  const emails: EmailAddress[] = [];
  const mistakes: Mistake[] = [];
  for (const [index, content] of text.split(/\r\n|\r|\n/).entries()) {
    for (const entry of entriesIn(content)) {
      if (emails.length + mistakes.length === max) {
        return null;
      }
      const address = readPastedAddress(entry);
      if (address instanceof InvalidEmailAddress) {
        mistakes.push({ line: index + 1, text: entry, problem: address.problem });
      } else {
        emails.push(address);
      }
    }
  }
  return { emails, mistakes };
}

function* entriesIn(line: string): Generator<string> {
  const cells = line.split('\t').filter((cell) => cell.includes('@'));
  const text = cells.length > 0 ? cells.join(',') : line;
  for (const [part] of text.matchAll(PARTS)) {
    const isOne = part.includes('<') || !(parseEmailAddress(part) instanceof InvalidEmailAddress);
    yield* isOne ? [part.trim()] : part.split(/\s+/).filter(Boolean);
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
