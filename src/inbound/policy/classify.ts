import type { DeliveryEventKind, Effect } from '../parsing/delivery-event.js';
import { BOUNCE_POLICY, type BounceType, type PolicyLine } from './bounce-policy.js';

/** What a report means for its recipient, what it asks for, and why. */
export interface Classification {
  kind: DeliveryEventKind;
  effect: Effect;
  reason: string;
}

export interface BounceClassification extends Classification {
  kind: 'bounce';
  bounceType: BounceType;
}

export interface Bounce {
  status?: string | null | undefined;
  diagnostic?: string | null | undefined;
}

const EFFECTS: Readonly<Record<BounceType, Effect>> = {
  hard: 'suppress',
  listed: 'suppress-if-absent',
  soft: 'watch',
  blocked: 'none',
  other: 'none',
};

const UNEXPLAINED: PolicyLine = ['soft', 'the server gave no known reason', '', /(?:)/];

const MAX_DIAGNOSTIC_LENGTH = 2_000;
const STATUS = /[245]\.\d{1,3}\.\d{1,3}/;
/** A status code that is not part of an IP address. */
const STATUS_IN_TEXT = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
const SENDER_STATUS = /(?<![\d.])[45]\.1\.[78](?!\.?\d)/;
const FAILURE_REPLY = /(?:^|[\s:(#])([45])[0-5]\d(?=[-\s\],;)]|$)/;
/** A success reply (RFC 5321, section 4.2.3). Elsewhere in the text, such a number may mean anything. */
const SUCCESS_REPLY = /^(2)(?:5[0-3]|11|14|20|21|35)(?=[-\s]|$)/;

const REPLY_CODE = /(?:^|[:;(>]\s?)([45][0-5]\d)(?=[-\s,;:)]|$)/;
/** Postfix and Exim name the server before its reply, which is no statement about that host. */
const REPLYING_HOST = /\bhost \S{1,300}?(?: ?\[[^\]\s]{1,45}\])?(?: said:|(?<=\]):)/g;

/** Characters that separate an address from words, as in `not found:ada@example.com`. */
const GLUE = /([:;,]|[<>()[\]"'\\])/;

/** Classifies a bounce in the same way for every provider and for raw mail, in bounded time for any text. */
export function classify(bounce: Bounce): BounceClassification {
  const [bounceType, reason] = policyLineFor(bounce);
  return { kind: 'bounce', bounceType, effect: EFFECTS[bounceType], reason };
}

export function isExplained(bounce: Bounce): boolean {
  return policyLineFor(bounce) !== UNEXPLAINED;
}

/**
 * The enhanced status code. The one in the diagnostic wins if it blames the sender or is more specific; without any code, it is
 * the class of the reply.
 */
export function bestStatus(status: string | null, diagnostic: string): string | null {
  const given = SENDER_STATUS.exec(diagnostic)?.[0] ?? STATUS.exec(status ?? '')?.[0] ?? null;
  if (given && !given.endsWith('.0.0')) {
    return given;
  }
  const [, replyClass] = SUCCESS_REPLY.exec(diagnostic) ?? FAILURE_REPLY.exec(diagnostic) ?? [];
  return STATUS_IN_TEXT.exec(diagnostic)?.[0] ?? given ?? (replyClass ? `${replyClass}.0.0` : null);
}

function policyLineFor(bounce: Bounce): PolicyLine {
  const diagnostic = (bounce.diagnostic ?? '').slice(0, MAX_DIAGNOSTIC_LENGTH);
  const status = bestStatus(bounce.status ?? null, diagnostic) ?? '';
  const reply = REPLY_CODE.exec(diagnostic)?.[1] ?? '';
  const words = wordsOf(diagnostic);
  return (
    BOUNCE_POLICY.find(
      ([, , , inWords, inStatus, inReply]) =>
        (inStatus?.test(status) ?? true) && (inReply?.test(reply) ?? true) && inWords.test(words),
    ) ?? UNEXPLAINED
  );
}

/**
 * The words of a diagnostic, in lower case and in one spelling, without addresses (`spam@example.com` is a mailbox), codes, and
 * links except for their host. An @ stands for an address next to punctuation.
 */
function wordsOf(diagnostic: string): string {
  return diagnostic
    .toLowerCase()
    .split(/\s+/)
    .map(withoutAddress)
    .join(' ')
    .replace(REPLYING_HOST, ' ')
    .replace(/#?(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)|\b[245][0-5]\d(?:-|\b)/g, ' ')
    .replace(/(?<![:;,]\s{0,2})@(?!\s{0,2}[:;,])/g, ' ')
    .replace(/['’`"]/g, '')
    .replace(/[_\s]+/g, ' ')
    .replace(/\b(do|does|dos|did|is|was|are|could|has|have) ?n ?t\b/g, '$1 not')
    .replace(/\bcan(?:t| not)\b/g, 'cannot')
    .replace(/\bdos not\b/g, 'does not')
    .replace(/\bwont\b/g, 'will not')
    .replace(/\bmail[- ]box/g, 'mailbox')
    .replace(/\be-mail/g, 'email')
    .trim();
}

function withoutAddress(word: string): string {
  if (word.includes('@')) {
    return word.split(GLUE).map(wordsBeside).join('');
  }
  const link = word.indexOf('://');
  return link < 0 ? word : (word.slice(link + 3).split(/[/?#>]/, 1)[0] ?? '');
}

/** sendmail appends dots to an address: `ada@example.com...User unknown`. */
function wordsBeside(piece: string): string {
  const at = piece.indexOf('@');
  const dots = piece.indexOf('..', at);
  const words = at < 0 ? piece : dots < 0 ? '@' : piece.slice(dots);
  return /^[<>()[\]\\]$/.test(words) ? ' ' : words;
}
