import { localPartOf } from '../email-address/email-address.js';

const MAX_LENGTH = 500;
/** Replaces words that differ between answers of the same kind. */
const GAP = '…';
const HOST = /[a-z0-9-]\.[a-z]{2,}\.?(?![a-z0-9-])/i;
const LINK = /^([(<["']*https?:\/\/)[^/?#\s]*(\S*)/i;
const QUOTED_NAME = /^[<('"`[{]+[^<>()'"`[\]{}\s]+[>)'"`\]}]+[.,:;]?$/;

/**
 * The answer of a server without the words that name an address, a host, an id, or a number. Answers of the same kind have the
 * same fingerprint. Empty if nothing is left.
 *
 * @param recipient - the address that the answer is about; its local part may occur in the text on its own
 */
export function fingerprint(diagnostic: string, recipient = ''): string {
  const localPart = localPartOf(recipient).toLowerCase();
  const words = diagnostic
    .split(/\s+/)
    .map((word) => (isVariable(word, localPart) ? GAP : withoutHost(word)));
  const text = words.filter((word, index) => word !== GAP || words[index - 1] !== GAP).join(' ');
  return text
    .replace(/… …/g, GAP)
    .replace(/^[\s…]+|(?<![\s…])[\s…]+$/g, '')
    .slice(0, MAX_LENGTH);
}

/** The longest part of a fingerprint that occurs verbatim in every answer. */
export function longestPhrase(text: string): string {
  const phrases = text.split(GAP).map((phrase) => phrase.trim());
  return phrases.reduce((longest, phrase) => (phrase.length > longest.length ? phrase : longest), '');
}

function isVariable(word: string, localPart: string): boolean {
  return (
    word === '' ||
    word.includes('@') ||
    QUOTED_NAME.test(word) ||
    (localPart !== '' && trimmed(word).toLowerCase() === localPart) ||
    (!LINK.test(word) && (/\p{Nd}/u.test(word) || HOST.test(word)))
  );
}

/** Keeps only the part of a link after the host, such as `?p=NoSuchUser`, which says more about the kind of answer. */
function withoutHost(word: string): string {
  const url = LINK.exec(word);
  return url ? (/\d|@/.test(url[2]!) ? GAP : `${GAP}${url[2]}`) : word;
}

function trimmed(word: string): string {
  return word.replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');
}
