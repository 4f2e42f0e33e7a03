import type { DeliveryEventKind, Effect } from '../parsing/delivery-event.js';
import * as said from './wording.js';

/** What a report means for its recipient, what it asks for, and why. */
export interface Classification {
  kind: DeliveryEventKind;
  effect: Effect;
  /** A sentence for a person. */
  reason: string;
}

/**
 * - `hard`: the address will never take mail.
 * - `soft`: the address may take mail later.
 * - `blocked`: the sender, the message or the sending server was refused, which says nothing about the address.
 * - `other`: no failure at all.
 */
export type BounceType = 'hard' | 'soft' | 'blocked' | 'other';

export interface BounceClassification extends Classification {
  kind: 'bounce';
  bounceType: BounceType;
}

/** What the receiving server said. */
export interface Bounce {
  status?: string | null | undefined;
  diagnostic?: string | null | undefined;
}

type Line = [bounceType: BounceType, reason: string, when: { words?: RegExp; status?: RegExp }];

const EFFECTS: Readonly<Record<BounceType, Effect>> = {
  hard: 'suppress',
  soft: 'watch',
  blocked: 'none',
  other: 'none',
};

/**
 * THE policy: the first line that fits decides, and a line fits if all that it names does. A status is an enhanced code
 * (RFC 3463 and the IANA registry of its codes); a basic reply code such as 550 counts as 5.0.0.
 *
 * What a server says goes before its code, because codes are given carelessly: of real bounces with a 5.x.x code, six in
 * ten are no reason to suppress. Words on other causes go before the words on missing mailboxes, because the texts of
 * blocks like to mention users and addresses too.
 */
const POLICY: Line[] = [
  ['other', 'the mail was delivered', { status: /^2\./ }],
  ['other', 'the recipient is away', { words: said.AWAY }],

  // The sender, the message or the moment is to blame, not the address.
  ['soft', 'the mailbox is full', { words: said.FULL }],
  ['blocked', 'the message is too big', { words: said.TOO_BIG }],
  ['blocked', 'too many messages or connections at once', { words: said.TOO_MANY }],
  ['blocked', 'the authentication of the sender failed', { words: said.AUTHENTICATION }],
  ['blocked', 'the name of the sending server was refused', { words: said.SERVER_NAME }],
  ['blocked', 'the server does not take mail for this domain from us', { words: said.RELAYING }],
  ['blocked', 'the message was taken for spam or harmful', { words: said.CONTENT }],
  ['blocked', 'the sending server or domain is blocked', { words: said.BLOCKED }],
  ['blocked', 'the address or domain of the sender was refused', { words: said.SENDER }],
  // Exchange Online says so of recipients that are not in the directory of a domain ("edge blocking").
  ['hard', 'the mailbox does not exist', { words: said.NOT_IN_DIRECTORY, status: /^5\.4\.1$/ }],
  ['blocked', 'a rule of the receiving server refused the message', { words: said.POLICY_RULE }],
  ['blocked', 'a safe connection could not be made', { words: said.ENCRYPTION }],
  ['blocked', 'the message ran in a loop', { words: said.LOOP }],
  ['soft', 'the failure is for the moment', { words: said.MOMENTARY }],

  // The mailbox or domain is not there, or will never take mail.
  ['soft', 'the server could not be reached', { status: /^4\.(?:1\.2|[34]\.)/ }],
  ['hard', 'the domain takes no mail', { words: said.NO_MAIL }],
  ['hard', 'the recipient has moved away', { words: said.MOVED }],
  ['hard', 'the mailbox does not exist', { words: said.NO_MAILBOX }],
  ['hard', 'the mailbox does not exist', { words: said.NO_MAILBOX_ABROAD }],
  ['hard', 'the mailbox is closed', { words: said.CLOSED_MAILBOX }],
  ['hard', 'the domain does not exist', { words: said.NO_DOMAIN, status: /^(?:5|$)/ }],
  // "Mailbox unavailable" is RFC 5321's text for 550, "not found or no access", and for 450, "busy".
  [
    'hard',
    'the server has no such mailbox',
    { words: said.REFUSED_MAILBOX, status: /^5\.(?:0\.0|1\.[01]|2\.1|5\.0)$/ },
  ],
  // RFC 7504: 521 with 5.3.2 is the answer of a host that never takes mail.
  ['hard', 'the server takes no mail', { words: said.NOT_ACCEPTING, status: /^5\.3\.2$/ }],

  // The way to the server.
  ['soft', 'the server could not be reached', { words: said.UNREACHABLE }],
  ['soft', 'the server did not take the mail in time', { words: said.OUT_OF_TIME }],
  ['soft', 'the mailbox is suspended', { words: said.SUSPENDED }],

  // Nothing known was said: the codes.
  ['hard', 'the mailbox does not exist', { status: /^5\.1\.(?:1|3|6)$/ }],
  ['hard', 'the domain does not exist', { status: /^5\.1\.2$/ }],
  ['hard', 'the domain takes no mail', { status: /^5\.1\.10$/ }],
  ['blocked', 'the address or domain of the sender was refused', { status: /^\d\.1\.[78]$/ }],
  ['soft', 'the mailbox is full', { status: /^\d\.2\.2$/ }],
  ['blocked', 'the message is too big', { status: /^\d\.(?:2\.3|3\.4)$/ }],
  ['soft', 'the receiving system has a fault', { status: /^\d\.3\./ }],
  ['soft', 'the server did not take the mail in time', { status: /^\d\.4\.7$/ }],
  ['soft', 'the server could not be reached', { status: /^\d\.4\./ }],
  ['blocked', 'the form of the message was refused', { status: /^\d\.6\./ }],
  ['blocked', 'a rule of the receiving server refused the message', { status: /^\d\.7\./ }],
  ['soft', 'the failure is for the moment', { status: /^4\./ }],
];

const UNEXPLAINED: Line = ['soft', 'the server gave no known reason', {}];

const MAX_DIAGNOSTIC_LENGTH = 2_000;
/** Not a part of an IP address. */
const STATUS = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
const REPLY_CODE = /(?:^|[\s:(#])([245])[0-5]\d(?=[-\s\],;)]|$)/;

/**
 * Judges a bounce by its status code and by what the mail server said of it, the same for every provider and for raw
 * mail. Takes a time bounded by the length that it reads, whatever the text.
 */
export function classify(bounce: Bounce): BounceClassification {
  const [bounceType, reason] = lineFor(bounce);
  return { kind: 'bounce', bounceType, effect: EFFECTS[bounceType], reason };
}

/** Whether the policy has a line for this. */
export function isExplained(bounce: Bounce): boolean {
  return lineFor(bounce) !== UNEXPLAINED;
}

function lineFor(bounce: Bounce): Line {
  const diagnostic = (bounce.diagnostic ?? '').slice(0, MAX_DIAGNOSTIC_LENGTH);
  const status = bestStatus(bounce.status ?? null, diagnostic) ?? '';
  const text = wordsOf(diagnostic);
  return (
    POLICY.find(([, , when]) => (when.status?.test(status) ?? true) && (when.words?.test(text) ?? true)) ??
    UNEXPLAINED
  );
}

/** The enhanced status code, where the diagnostic has one that says more than `5.0.0`; else from the reply code. */
export function bestStatus(status: string | null, diagnostic: string): string | null {
  const given = STATUS.exec(status ?? '')?.[0] ?? null;
  if (given && !given.endsWith('.0.0')) {
    return given;
  }
  const [, replyClass] = REPLY_CODE.exec(diagnostic) ?? [];
  return STATUS.exec(diagnostic)?.[0] ?? given ?? (replyClass ? `${replyClass}.0.0` : null);
}

/**
 * The words of a diagnostic in lower case, without what would mislead: addresses (`spam@example.com` is a mailbox), all
 * of a link but its host, codes that stand between the words of several lines, apostrophes and underscores.
 */
function wordsOf(diagnostic: string): string {
  return diagnostic
    .toLowerCase()
    .split(/\s+/)
    .map(withoutAddress)
    .join(' ')
    .replace(/#?(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)|\b[245][0-5]\d(?:-|\b)/g, ' ')
    .replace(/['’`"]/g, '')
    .replace(/[_\s]+/g, ' ')
    .trim();
}

function withoutAddress(word: string): string {
  if (word.includes('@')) {
    return word.slice(word.lastIndexOf('>') + 1 || word.length);
  }
  const link = word.indexOf('://');
  return link < 0 ? word : (word.slice(link + 3).split(/[/?#>]/, 1)[0] ?? '');
}
