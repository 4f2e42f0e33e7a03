import {
  InvalidEmailAddress,
  parseEmailAddress,
  type EmailAddress,
} from '../../../email-address/email-address.js';
import { parseMailbox, withoutName } from '../../../email-address/mailbox.js';

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
 * Reads addresses on separate lines, or with commas, semicolons or spaces between them.
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
  for (const [part] of line.matchAll(PARTS)) {
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
