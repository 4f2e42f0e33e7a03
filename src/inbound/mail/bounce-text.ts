import type { EmailAddress } from '../../email-address/email-address.js';
import { findAddresses, type FoundAddress } from './address-text.js';
import { unwrapLines, withoutPossibleReasons } from './bounce-lines.js';

/** The text for people in which a mail server describes each failed address. */
export interface BounceText {
  /** Addresses where mail servers name a failed recipient, in order. */
  failed: EmailAddress[];
  /** Every address, in order, except those of senders and helpers. */
  mentioned: EmailAddress[];
  /** Mailed addresses that the text names instead of the address, program, or file to which they were expanded. */
  aliases: EmailAddress[];
  /** Returns the mailed address if the server expanded it to this one. */
  mailed(address: EmailAddress): EmailAddress;
  words(address: EmailAddress): string;
  /** The text before the first recipient. If the text names no recipient, all of it is in `allWords`. */
  preamble: string;
  allWords: string;
}

const MAX_WORDS_LENGTH = 1_500;
const MAX_LINES_BELOW = 12;
const MAX_LINES_BEFORE = 20;

/** The text before an address at the beginning of a line: `<a@b>:`, `* a@b`, `>>> a@b`, `[a@b]`. */
const NOTHING_BEFORE = /^[\s<"'*•>([-]*$/;

/** Words that introduce a failed recipient, or a reply code: `550 <a@b>... User unknown`. */
const INTRODUCTION =
  /(?:\brcpt to:?|\brecipient(?:s|\(s\))?(?: address(?:es)?)?\b[^@.]{0,40}:?|\b(?:deliver(?:ed|ing|y)?|sent|undeliverable|message|mail|mailed|addressed) {1,3}(?:\w+ ){0,3}to:?|\baddress(?:es)?:?|\berrors?:|\bmailbox:?|(?<!mailto|subject|\bref)(?<=\w{3}\)?): *|\bSMTP=|^\s*[45]\d\d[- ](?:[245]\.\d{1,3}\.\d{1,3} )?)\s*[<"'([]*$/i;

/** Words before the address of a sender, or of somebody to ask for help. */
const NOT_THE_RECIPIENT =
  /\b(?:mail from|sender|from|reply|contact|assistance|support|help|questions?|postmaster|abuse|write to|complain|please (?:send|forward|e-?mail)|(?:by|via) e-?mail at|e-?mail us|sent by|submitted by|on behalf|dear|hello|hi|subject|expanded from|generated from)\b[^@]{0,80}$/i;

const SECTION_RULE = /^\s*(?:-{6,}|-{3,}(?!-).{0,80}(?<!-)-{3,})\s*$/;
/** Sections in which the reason precedes the recipient, in the bounces of sendmail and Domino. */
const REASON_FIRST = /\btranscript of session|\bfailure reasons\b/i;
/** Lines of sendmail's session transcripts: a command, a reply, and the host that sendmail talks to. */
const COMMAND = /^\s*>>> /;
const REPLY = /^\s*<<< /;
const TALKING = /\bwhile talking to\b/i;

/**
 * Reads the words line by line. Most mail servers name a recipient and say what happened on the lines below. In the
 * transcript of a session the order is reversed: first the session, then the recipient that failed in it.
 */
export function readBounceText(text: string[]): BounceText {
  const lines = withoutPossibleReasons(unwrapLines(text));
  const failed = new Set<EmailAddress>();
  const mentioned = new Set<EmailAddress>();
  const linesAbout = new Map<EmailAddress, string[]>();
  let current: EmailAddress[] = [];
  let below = 0;
  let before: string[] = [];
  let isReasonFirst = false;
  let firstRecipient: number | undefined;
  for (const [index, line] of lines.entries()) {
    const found = findAddresses(line).filter(({ start }) => !NOT_THE_RECIPIENT.test(line.slice(0, start)));
    const addresses = [...new Set(found.map(({ address }) => address))];
    addresses.forEach((address) => mentioned.add(address));
    found.filter((each) => namesFailedRecipient(line, each)).forEach(({ address }) => failed.add(address));
    firstRecipient ??= failed.size > 0 ? index : undefined;
    if (SECTION_RULE.test(line)) {
      isReasonFirst = REASON_FIRST.test(line);
      current = [];
      before = [];
    } else if (isReasonFirst && (COMMAND.test(line) || TALKING.test(line))) {
      current = addresses;
      before = [line];
    } else if (isReasonFirst && addresses.length > 0 && !REPLY.test(line)) {
      note(linesAbout, addresses, [...before, line]);
      current = [];
      before = [];
    } else {
      current = addresses.length > 0 ? addresses : current;
      below = addresses.length > 0 ? 0 : below + 1;
      if (below < MAX_LINES_BELOW && line.trim() !== '') {
        note(linesAbout, current, [line]);
      }
      before = isReasonFirst ? [...before, line].slice(-MAX_LINES_BEFORE) : before;
    }
  }
  const { mailedAs, aliases } = readExpansions(text);
  return {
    failed: [...failed],
    mentioned: [...mentioned],
    aliases,
    mailed: (address) => mailedAs.get(address) ?? address,
    words: (address) => join(linesAbout.get(address) ?? []),
    preamble: join(lines.slice(0, firstRecipient ?? 0)),
    allWords: join(lines.slice(firstRecipient ?? 0)),
  };
}

function note(linesAbout: Map<EmailAddress, string[]>, addresses: EmailAddress[], lines: string[]): void {
  for (const address of addresses) {
    const noted = linesAbout.get(address) ?? [];
    noted.push(...lines);
    linesAbout.set(address, noted);
  }
}

function namesFailedRecipient(line: string, { start }: FoundAddress): boolean {
  const before = line.slice(Math.max(0, start - 120), start);
  return NOTHING_BEFORE.test(before) || INTRODUCTION.test(before);
}

function join(lines: string[]): string {
  let words = '';
  for (const line of lines) {
    if (words.length > MAX_WORDS_LENGTH) {
      break;
    }
    words += `${line.trim()} `;
  }
  return words.replace(/\s+/g, ' ').trim().slice(0, MAX_WORDS_LENGTH);
}

/** Exim, Postfix and sendmail name the mailed address after the one that it was expanded to. */
const EXPANDED_FROM = /\b(?:generated|expanded) from[^@]{0,20}$/i;

/** An entry is an address, and the indented or parenthesized lines below it. */
function readExpansions(lines: string[]): {
  mailedAs: Map<EmailAddress, EmailAddress>;
  aliases: EmailAddress[];
} {
  const mailedAs = new Map<EmailAddress, EmailAddress>();
  const aliases = new Set<EmailAddress>();
  let entry: EmailAddress | undefined;
  for (const line of lines) {
    const found = findAddresses(line);
    const alias = found.find(({ start }) => EXPANDED_FROM.test(line.slice(0, start)));
    const [first] = found;
    if (first && first !== alias) {
      entry = first.address;
    } else if (!alias && /^\S/.test(line) && !line.startsWith('(')) {
      entry = undefined;
    }
    if (alias && entry) {
      mailedAs.set(entry, alias.address);
    } else if (alias) {
      aliases.add(alias.address);
    }
  }
  return { mailedAs, aliases: [...aliases] };
}
