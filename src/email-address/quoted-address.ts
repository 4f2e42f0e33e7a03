import { domainToUnicode } from 'node:url';
import {
  domainOf,
  InvalidEmailAddress,
  localPartOf,
  parseEmailAddress,
  type EmailAddress,
} from './email-address.js';

/** In quoted-printable, a line may end anywhere; in JSON, the end of the line is escaped. */
const LINE_END = '=(?:\\r?\\n|(?:\\\\r)?\\\\n)';
const SOFT_BREAK = `(?:${LINE_END})?`;
const QUOTE = '(?:\\\\?"|=22|%22)';
/** Characters that are written differently only in an escape, which has an equals sign, a percent sign, or a backslash. */
const PLAIN = /^[a-z0-9._+-]+$/;
const AT_SIGNS = ['@', '=40', '%40', '&#64;', '\\\\u0040'];
/** Signed return paths contain the address of the recipient with an equals sign (VERP). */
const AT_SIGN_OF_RETURN_PATH = '=';
/** An escape. It may precede an address, although it ends in a letter or a digit. */
const ESCAPE = String.raw`(?<=[=%][0-9A-Fa-f]{2}|\\[bfnrt]|\\u[0-9A-Fa-f]{4})`;
/** The condition on the text before an address: no character that would make it the end of a longer address. */
const START = String.raw`(?:(?<![\p{L}\p{N}\p{M}._+-])|${ESCAPE})`;
const START_IN_RETURN_PATH = String.raw`(?:(?<![\p{L}\p{N}\p{M}._])|${ESCAPE})`;
/** The same for PostgreSQL, which does not support Unicode properties. */
const SQL_START = `(?:(?<![[:alnum:]._+-])|${ESCAPE})`;
const SQL_START_IN_RETURN_PATH = `(?:(?<![[:alnum:]._])|${ESCAPE})`;
/** Extensions of files that are named after an address. None of these is a top-level domain. */
const EXTENSION = '(?:csv|CSV|tsv|TSV|txt|TXT|jsonl?|JSONL?|ndjson|NDJSON|xlsx?|XLSX?|gz|GZ|eml|EML)';
/** The condition on the text after an address: nothing that would make its domain longer, unless it begins a new sentence. */
const END = String.raw`(?![\p{L}\p{N}_-]|\.(?!${EXTENSION}(?![\p{L}\p{N}_-]))(?:[\p{Ll}\p{N}]|\p{Lu}{2}))`;

const SQL_END = String.raw`(?![[:alnum:]_-]|\.(?!${EXTENSION}(?![[:alnum:]_-]))(?:[[:lower:][:digit:]]|[[:upper:]]{2}))`;

/** A local part with spaces has quotation marks. The limits keep the search fast in a long text without an at sign. */
const ANY_LOCAL = String.raw`(?:${QUOTE}[^"\r\n]{1,256}?${QUOTE}|[^\s"'<>(),;:[\]{}\\|/&](?:${LINE_END}|[^\s"'<>(),;:[\]{}\\]){0,320})`;
const ANY_DOMAIN = String.raw`(?:${LINE_END}|[^\s"'<>(),;:[\]{}\\|/&?])+`;
/** Anything that may be an address; it matches too much rather than too little. */
const ANY_ADDRESS = new RegExp(
  `${ANY_LOCAL}${SOFT_BREAK}(?:${AT_SIGNS.join('|')})${SOFT_BREAK}${ANY_DOMAIN}`,
  'gu',
);

/**
 * Finds an address in a text, in every form in which mail servers, programs, and people write it: upper and lower case, composed
 * and decomposed characters, a domain in Unicode or in ASCII, quoted-printable, percent-encoded, as JSON, and in signed return
 * paths.
 */
export class QuotedAddress {
  /** A regular expression for PostgreSQL that finds the same addresses. */
  readonly sql: string;
  /**
   * The same expression without the conditions on what precedes and follows. It finds more, and takes about a twentieth of the
   * time.
   */
  private readonly rough: string;
  /** A lower-case substring of every text that quotes the address without escapes. Empty if its forms share no substring. */
  private readonly part: string;
  private readonly exact: RegExp;

  /** @param emails - the address, and other names that stand for it */
  constructor(...emails: [EmailAddress, ...EmailAddress[]]) {
    const forms = emails.map(formsOfAddress);
    const local = withoutQuotes(localPartOf(emails[0]));
    this.part = emails.length === 1 && PLAIN.test(local) ? local : '';
    this.rough = forms.map(({ rough }) => rough).join('|');
    this.sql = forms
      .map(
        ({ elsewhere, inReturnPath }) =>
          `${SQL_START}${elsewhere}${SQL_END}|${SQL_START_IN_RETURN_PATH}${inReturnPath}${SQL_END}`,
      )
      .join('|');
    const exact = forms.map(
      ({ elsewhere, inReturnPath }) =>
        `${START}${elsewhere}${END}|${START_IN_RETURN_PATH}${inReturnPath}${END}`,
    );
    this.exact = new RegExp(exact.join('|'), 'gu');
  }

  /** Parameters of {@link quotes}. */
  get parameters(): [sql: string, rough: string, part: string] {
    return [this.sql, this.rough, this.part];
  }

  isIn(text: string): boolean {
    return text.search(this.exact) >= 0;
  }

  replaceIn(text: string, replacement: string): string {
    return text.replace(this.exact, () => replacement);
  }

  /** Replaces everything that may be another address. */
  replaceOthersIn(text: string, replacement: string): string {
    const kept = [...text.matchAll(this.exact)].map(([found]) => found);
    return text
      .split(this.exact)
      .map((part, index) => part.replace(ANY_ADDRESS, replacement) + (kept[index] ?? ''))
      .join('');
  }
}

/** Punctuation that {@link ANY_ADDRESS} takes for a part of the domain. */
const END_OF_SENTENCE = /[.!*_~`'-]+$/u;
/** `“ada@example.com”`, which {@link ANY_ADDRESS} takes as a whole. */
const TYPOGRAPHIC_QUOTES = /^[\p{Pi}\p{Ps}\p{Pf}]+|[\p{Pi}\p{Pe}\p{Pf}.!]+$/gu;
const ANY_AT_SIGN = new RegExp(AT_SIGNS.slice(1).join('|'), 'u');

/** The addresses in a text, in their normal form. Addresses that are written with escapes are not found. */
export function* addressesIn(text: string): Generator<EmailAddress> {
  for (const [found] of text.matchAll(ANY_ADDRESS)) {
    const whole = found.replace(ANY_AT_SIGN, '@').replace(END_OF_SENTENCE, '');
    for (const candidate of new Set([whole, whole.replace(TYPOGRAPHIC_QUOTES, '')])) {
      const address = parseEmailAddress(candidate);
      if (!(address instanceof InvalidEmailAddress)) {
        yield address;
      }
    }
  }
}

function formsOfAddress(email: EmailAddress): Record<'elsewhere' | 'inReturnPath' | 'rough', string> {
  const bare = sequence(withoutQuotes(localPartOf(email)));
  const local = `(?:${QUOTE}${bare}${QUOTE}|${bare})`;
  const domain = domainOf(email)
    .split('.')
    .map(label)
    .join(SOFT_BREAK + oneOf(formsOf('.')) + SOFT_BREAK);
  const sign = SOFT_BREAK + oneOf(AT_SIGNS) + SOFT_BREAK;
  const anySign = SOFT_BREAK + oneOf([...AT_SIGNS, AT_SIGN_OF_RETURN_PATH]) + SOFT_BREAK;
  return {
    elsewhere: local + sign + domain,
    inReturnPath: local + AT_SIGN_OF_RETURN_PATH + domain,
    rough: `${bare}${QUOTE}?${anySign}${domain}`,
  };
}

function withoutQuotes(local: string): string {
  return local.startsWith('"') ? local.slice(1, -1).replace(/\\(.)/gu, '$1') : local;
}

/** A label of a domain, which may be written in Unicode. */
function label(ascii: string): string {
  const unicode = domainToUnicode(ascii);
  return unicode === ascii || unicode === '' ? sequence(ascii) : oneOf([sequence(ascii), sequence(unicode)]);
}

function sequence(text: string): string {
  return [...text].map((character) => oneOf(formsOf(character))).join(SOFT_BREAK);
}

function formsOf(character: string): string[] {
  const cases = [character, character.toLowerCase(), character.toUpperCase()];
  const folded = character === 'σ' ? [...cases, 'ς'] : cases;
  const composed = folded.flatMap((form) => [form, form.normalize('NFD')]);
  return [...new Set(composed)].flatMap((form) => [escapeLiteral(form), ...encoded(form)]);
}

function encoded(text: string): string[] {
  const bytes = [...Buffer.from(text)].map((byte) => anyCase(byte.toString(16).padStart(2, '0')));
  const units = Array.from({ length: text.length }, (_, index) =>
    anyCase(text.charCodeAt(index).toString(16).padStart(4, '0')),
  );
  return [
    bytes.map((byte) => `=${byte}`).join(SOFT_BREAK),
    bytes.map((byte) => `%${byte}`).join(''),
    units.map((unit) => `\\\\u${unit}`).join(''),
  ];
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function oneOf(forms: string[]): string {
  return `(?:${forms.join('|')})`;
}

/** In JSON, a quotation mark and a backslash have a backslash before them. */
function escapeLiteral(text: string): string {
  const literal = text.replace(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);
  return text === '"' || text === '\\' ? String.raw`(?:\\)?${literal}` : literal;
}

/**
 * SQL condition: a text quotes the address.
 *
 * @param first - the number of the first of its {@link QuotedAddress.parameters}
 */
export function quotes(text: string, first: number): string {
  return `CASE
    WHEN strpos(lower(${text}), $${first + 2}::text) = 0 AND ${text} !~ '[=%\\\\]' THEN false
    WHEN ${text} !~ $${first + 1}::text THEN false
    ELSE ${text} ~ $${first}::text
  END`;
}
