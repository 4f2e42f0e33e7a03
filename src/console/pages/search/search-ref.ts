import {
  foldCase,
  InvalidEmailAddress,
  MAX_ADDRESS_BYTES,
  parseDomain,
} from '../../../email-address/email-address.js';
import { ValidationError } from '../../../http/errors/errors.js';
import { isPseudonym } from '../../../pseudonyms/pseudonym.js';
import type { SuppressionRef } from '../../../suppressions/suppression-ref.js';
import { Invalid, parseId } from '../../../validation/parsers.js';
import { quote } from '../../components/words.js';
import { readPastedAddress } from './pasted-addresses.js';

/** The beginning of an address. It can also be a domain, such as `example.com`. */
export interface Beginning {
  prefix: string;
  domain: string | null;
}

/** What a person searches for: one address or suppression, or the addresses at a domain or with a beginning. */
export type Search = SuppressionRef | { domain: string } | Beginning;

/** No address contains them outside of quotation marks. */
const SPACE_OR_CONTROL = /[\s\p{Cc}]/u;

/** @throws {ValidationError} */
export function readSearch(text: string): Search {
  const entered = text.trim();
  const ref = readRef(entered);
  if (!(ref instanceof InvalidEmailAddress)) {
    return ref;
  }
  const domain = parseDomain(entered.replace(/^@/, ''));
  if (typeof domain === 'string' && entered.startsWith('@')) {
    return { domain };
  }
  if (SPACE_OR_CONTROL.test(entered) || !entered.isWellFormed() || entered.length > MAX_ADDRESS_BYTES) {
    throw ValidationError.ofRequest(
      `${problemWith(text, ref)} Enter an address such as ada@example.com, its beginning, a domain such as @example.com, or the id of a suppression.`,
    );
  }
  return {
    prefix: foldCase(entered),
    domain: typeof domain === 'string' && domain.includes('.') ? domain : null,
  };
}

/**
 * Reads an address or the id of a suppression.
 *
 * @throws {ValidationError}
 */
export function readSuppressionRef(text: string): SuppressionRef {
  const ref = readRef(text);
  if (ref instanceof InvalidEmailAddress) {
    throw ValidationError.ofRequest(problemWith(text, ref));
  }
  return ref;
}

function readRef(text: string): SuppressionRef | InvalidEmailAddress {
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

function problemWith(text: string, { problem }: InvalidEmailAddress): string {
  return `${quote(text)} is not an email address: it ${problem}.`;
}
