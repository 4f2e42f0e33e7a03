import type { DeliveryEventKind, Effect } from '../parsing/delivery-event.js';
import { storable } from '../parsing/report.js';
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

/** A line of a provider's table, which says how a type of event is classified. */
export type Mapping = (bounce: Bounce) => Classification;

const MAX_TYPE_LENGTH = 60;

export const suppress = mapping('suppress');
/** The provider did not try, because the address is on its own list. */
export const suppressIfAbsent = mapping('suppress-if-absent');
export const watch = mapping('watch');
export const lift = mapping('lift');
/** The recipient left one kind of mail, not all mail: see `units`. */
export const optOut = mapping('opt-out');
export const optIn = mapping('opt-in');
export const success = mapping('success');
export const ignore = mapping('none');

/** For a type that says little: the words of the receiving server decide. */
export function byDiagnostic(bounce: Bounce): Classification {
  return bounce.status?.trim() || bounce.diagnostic
    ? classify(bounce)
    : { kind: 'bounce', effect: 'watch', reason: 'the report gives no reason' };
}

/** For a type that the provider calls temporary: it never suppresses, whatever the receiving server said. */
export function softByDiagnostic(bounce: Bounce): Classification {
  const classification = byDiagnostic(bounce);
  const { effect, reason } = classification;
  return effect === 'suppress' || effect === 'suppress-if-absent'
    ? { ...classification, effect: 'watch', reason: `the provider calls the failure temporary: ${reason}` }
    : classification;
}

/** For a type that the provider calls permanent: it suppresses unless the server gave a reason not to. */
export function hardUnlessBlocked(reason: string): Mapping {
  return (bounce) => {
    const classification = byDiagnostic(bounce);
    return isExplained(bounce) && classification.effect !== 'suppress'
      ? classification
      : { kind: 'bounce', effect: 'suppress', reason };
  };
}

/** Providers add types. An event of a type that is not in the table is stored and counted, without an effect. */
export function mappingFor(mappings: ReadonlyMap<string, Mapping>, type: string | undefined): Mapping {
  const name = storable(type, MAX_TYPE_LENGTH) ?? 'none';
  return (
    (type === undefined ? undefined : mappings.get(type)) ??
    ignore('unknown', `the type "${name}" does not say whether the address may be mailed`)
  );
}

function mapping(effect: Effect): (kind: DeliveryEventKind, reason: string) => Mapping {
  return (kind, reason) => () => ({ kind, effect, reason });
}

/**
 * The feedback types in lower case, from RFC 5965, section 7.3, RFC 6430, RFC 6591, and providers. A provider may omit the
 * type.
 */
export const FEEDBACK_TYPES: ReadonlyMap<string, Mapping> = new Map([
  ['', suppress('complaint', 'the recipient complained about the mail')],
  ['abuse', suppress('complaint', 'the recipient reported the mail as spam')],
  ['fraud', suppress('complaint', 'the recipient reported the mail as fraud')],
  ['other', suppress('complaint', 'the recipient complained about the mail')],
  ['miscategorized', suppress('complaint', 'the recipient says that the mail was miscategorized')],
  ['opt-out', suppress('unsubscribe', 'the recipient opted out')],
  ['opt-out-list', suppress('unsubscribe', 'the recipient opted out of the list')],
  ['not-spam', ignore('unknown', 'the recipient says that the mail is not spam')],
  ['auth-failure', ignore('unknown', 'the report is about authentication, not a complaint')],
  ['dmarc', ignore('unknown', 'the report is about authentication, not a complaint')],
  ['virus', ignore('unknown', 'the report is about a virus, not a complaint')],
]);

/** A complaint that does not reveal who complained, and names everybody who may have. */
export const ONE_OF_SEVERAL_COMPLAINED: Mapping = watch(
  'complaint',
  'one of several recipients complained, and the report conceals which one',
);
