import type { EmailAddress } from '../../email-address/email-address.js';
import { findAddresses, type FoundAddress } from './address-text.js';

/** What a mail server's words say of each address in them. */
export interface BounceText {
  /** Addresses that stand where mail servers name a failed recipient, in order. */
  failed: EmailAddress[];
  /** Every address, in order, but for those that the text names as sender or for help. */
  mentioned: EmailAddress[];
  /** Those that the text says stand for another one, which it may not show. */
  aliases: EmailAddress[];
  /** The words on an address; empty where there are none. */
  words(address: EmailAddress): string;
  /** All the words, for what is told of no address. */
  allWords: string;
}

const MAX_WORDS_LENGTH = 1_500;
const MAX_LINES_BELOW = 12;
const MAX_LINES_BEFORE = 20;

/** Before an address at the head of a line: `<a@b>:`, `* a@b`, `>>> a@b`, `[a@b]`. */
const NOTHING_BEFORE = /^[\s<"'*•>([-]*$/;
/** Or after words that introduce a failed recipient, or a reply code: `550 <a@b>... User unknown`. */
const INTRODUCTION =
  /(?:\brcpt to:?|\brecipient(?:s|\(s\))?(?: address(?:es)?)?\b[^@.]{0,40}:?|\b(?:delivered|deliver|delivering|sent|undeliverable|message|mail|mailed|addressed) (?:\w+ ){0,3}to:?|\baddress(?:es)?:?|\berrors?:|\bmailbox:?|(?<!mailto|subject|\bref)(?<=\w{3}\)?): *|\bSMTP=|^\s*[45]\d\d[- ](?:[245]\.\d{1,3}\.\d{1,3} )?)\s*[<"'([]*$/i;
/** The address in the line is the sender's, or one to ask for help. */
const NOT_THE_RECIPIENT =
  /\b(?:mail from|sender|from|reply|contact|assistance|support|help|questions?|postmaster|abuse|write to|complain|please (?:send|forward|e-?mail)|sent by|submitted by|on behalf|dear|hello|hi|subject|expanded from|generated from)\b[^@]{0,80}$/i;
/** Exim and Postfix name the address that was mailed beside the one that it stands for. */
const ALIAS = /\b(?:generated|expanded) from[^@]{0,20}$/i;
const SECTION_RULE = /^\s*-{3,}.{0,80}-{3,}\s*$/;
const TRANSCRIPT = /\btranscript of session/i;
/** In sendmail's transcript of a session: what it sent, what it was told, with whom it talks. */
const SENT = /^\s*>>> /;
const TOLD = /^\s*<<< /;
const TALKING = /\bwhile talking to\b/i;

/**
 * Most mail servers name a recipient and then say what happened, on the lines below. A transcript of a session has it
 * the other way round: the talk first, and then the recipient that failed by it.
 */
export function readBounceText(lines: string[]): BounceText {
  const failed = new Set<EmailAddress>();
  const mentioned = new Set<EmailAddress>();
  const aliases = new Set<EmailAddress>();
  const linesOn = new Map<EmailAddress, string[]>();
  let current: EmailAddress[] = [];
  let below = 0;
  let before: string[] = [];
  let inTranscript = false;
  for (const line of lines) {
    const all = findAddresses(line);
    all
      .filter(({ start }) => ALIAS.test(line.slice(0, start)))
      .forEach(({ address }) => aliases.add(address));
    const found = all.filter(({ start }) => !NOT_THE_RECIPIENT.test(line.slice(0, start)));
    const addresses = [...new Set(found.map(({ address }) => address))];
    addresses.forEach((address) => mentioned.add(address));
    found.filter((each) => namesFailedRecipient(line, each)).forEach(({ address }) => failed.add(address));
    if (SECTION_RULE.test(line)) {
      inTranscript = TRANSCRIPT.test(line);
      current = [];
      before = [];
    } else if (inTranscript && (SENT.test(line) || TALKING.test(line))) {
      current = addresses;
      before = [line];
    } else if (inTranscript && addresses.length > 0 && !TOLD.test(line)) {
      note(linesOn, addresses, [...before, line]);
      current = [];
      before = [];
    } else {
      current = addresses.length > 0 ? addresses : current;
      below = addresses.length > 0 ? 0 : below + 1;
      if (below < MAX_LINES_BELOW && line.trim() !== '') {
        note(linesOn, current, [line]);
      }
      before = inTranscript ? [...before, line].slice(-MAX_LINES_BEFORE) : before;
    }
  }
  return {
    failed: [...failed],
    mentioned: [...mentioned],
    aliases: [...aliases],
    words: (address) => join(linesOn.get(address) ?? []),
    allWords: join(lines),
  };
}

function note(linesOn: Map<EmailAddress, string[]>, addresses: EmailAddress[], lines: string[]): void {
  for (const address of addresses) {
    const known = linesOn.get(address) ?? [];
    known.push(...lines);
    linesOn.set(address, known);
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
