import * as said from './wording.js';

/** `suppress`: will never arrive. `watch`: may yet arrive, or was refused for our own sake. `ignore`: tells nothing. */
export type Verdict = 'suppress' | 'watch' | 'ignore';

export interface Classification {
  verdict: Verdict;
  /** Why, as a sentence for a person. */
  reason: string;
}

/** With `ours`, we, the message or our server is to blame: it never counts against the address. */
type Rule = [verdict: Verdict, reason: string, when: { words?: RegExp; status?: RegExp; ours?: true }];

/**
 * THE policy: the first line that fits decides, and a line fits if all that it names does. A status is an enhanced code
 * (RFC 3463 and the IANA registry of its codes); a basic reply code such as 550 counts as 5.0.0.
 *
 * What a server says goes before its code, because codes are given carelessly: of real bounces with a 5.x.x code, six in
 * ten are no reason to suppress. Words on other causes go before the words on missing mailboxes, because the texts of
 * blocks like to mention users and addresses too.
 */
const POLICY: Rule[] = [
  ['ignore', 'the mail was delivered', { status: /^2\./ }],
  ['ignore', 'the recipient is away', { words: said.AWAY }],

  // The sender, the message or the moment is to blame, not the address.
  ['watch', 'the mailbox is full', { words: said.FULL }],
  ['watch', 'the message is too big', { words: said.TOO_BIG, ours: true }],
  ['watch', 'too many messages or connections at once', { words: said.TOO_MANY, ours: true }],
  ['watch', 'the authentication of the sender failed', { words: said.AUTHENTICATION, ours: true }],
  ['watch', 'the name of the sending server was refused', { words: said.SERVER_NAME, ours: true }],
  ['watch', 'the server does not take mail for this domain from us', { words: said.RELAYING, ours: true }],
  ['watch', 'the message was taken for spam or harmful', { words: said.CONTENT, ours: true }],
  ['watch', 'the sending server or domain is blocked', { words: said.BLOCKED, ours: true }],
  ['watch', 'the address or domain of the sender was refused', { words: said.SENDER, ours: true }],
  // Exchange Online says so of recipients that are not in the directory of a domain ("edge blocking").
  ['suppress', 'the mailbox does not exist', { words: said.NOT_IN_DIRECTORY, status: /^5\.4\.1$/ }],
  ['watch', 'a rule of the receiving server refused the message', { words: said.POLICY_RULE, ours: true }],
  ['watch', 'a safe connection could not be made', { words: said.ENCRYPTION, ours: true }],
  ['watch', 'the message ran in a loop', { words: said.LOOP, ours: true }],
  ['watch', 'the failure is for the moment', { words: said.MOMENTARY }],

  // The mailbox or domain is not there, or will never take mail.
  ['watch', 'the server could not be reached', { status: /^4\.(?:1\.2|[34]\.)/ }],
  ['suppress', 'the domain takes no mail', { words: said.NO_MAIL }],
  ['suppress', 'the recipient has moved away', { words: said.MOVED }],
  ['suppress', 'the mailbox does not exist', { words: said.NO_MAILBOX }],
  ['suppress', 'the mailbox does not exist', { words: said.NO_MAILBOX_ABROAD }],
  ['suppress', 'the mailbox is closed', { words: said.CLOSED_MAILBOX }],
  ['suppress', 'the domain does not exist', { words: said.NO_DOMAIN, status: /^(?:5|$)/ }],
  // "Mailbox unavailable" is RFC 5321's text for 550, "not found or no access", and for 450, "busy".
  [
    'suppress',
    'the server has no such mailbox',
    { words: said.REFUSED_MAILBOX, status: /^5\.(?:0\.0|1\.[01]|2\.1|5\.0)$/ },
  ],
  // RFC 7504: 521 with 5.3.2 is the answer of a host that never takes mail.
  ['suppress', 'the server takes no mail', { words: said.NOT_ACCEPTING, status: /^5\.3\.2$/ }],

  // The way to the server.
  ['watch', 'the server could not be reached', { words: said.UNREACHABLE }],
  ['watch', 'the server did not take the mail in time', { words: said.OUT_OF_TIME }],
  ['watch', 'the mailbox is suspended', { words: said.SUSPENDED }],

  // Nothing known was said: the codes.
  ['suppress', 'the mailbox does not exist', { status: /^5\.1\.(?:1|3|6)$/ }],
  ['suppress', 'the domain does not exist', { status: /^5\.1\.2$/ }],
  ['suppress', 'the domain takes no mail', { status: /^5\.1\.10$/ }],
  ['watch', 'the address or domain of the sender was refused', { status: /^\d\.1\.[78]$/, ours: true }],
  ['watch', 'the mailbox is full', { status: /^\d\.2\.2$/ }],
  ['watch', 'the message is too big', { status: /^\d\.(?:2\.3|3\.4)$/, ours: true }],
  ['watch', 'the receiving system has a fault', { status: /^\d\.3\./ }],
  ['watch', 'the server did not take the mail in time', { status: /^\d\.4\.7$/ }],
  ['watch', 'the server could not be reached', { status: /^\d\.4\./ }],
  ['watch', 'the form of the message was refused', { status: /^\d\.6\./, ours: true }],
  ['watch', 'a rule of the receiving server refused the message', { status: /^\d\.7\./, ours: true }],
  ['watch', 'the failure is for the moment', { status: /^4\./ }],
];

const UNEXPLAINED: Classification = { verdict: 'watch', reason: 'the server gave no reason that is known' };

const MAX_DIAGNOSTIC_LENGTH = 2_000;
/** Not a part of an IP address. */
const STATUS = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
const REPLY_CODE = /(?:^|[\s:(#])([245])[0-5]\d(?=[-\s\],;)]|$)/;

/**
 * Judges a bounce by its status code and by what the mail server said of it, the same for every provider and for raw
 * mail. Takes a time bounded by the length that it reads, whatever the text.
 */
export function classify(bounce: { status?: string | null; diagnostic?: string | null }): Classification {
  const rule = lineFor(bounce);
  return rule ? { verdict: rule[0], reason: rule[1] } : UNEXPLAINED;
}

/** Whether we, the message or our server is to blame, so that it says nothing against the address, however often. */
export function blamesUs(bounce: { status?: string | null; diagnostic?: string | null }): boolean {
  return lineFor(bounce)?.[2].ours === true;
}

function lineFor(bounce: { status?: string | null; diagnostic?: string | null }): Rule | undefined {
  const diagnostic = (bounce.diagnostic ?? '').slice(0, MAX_DIAGNOSTIC_LENGTH);
  const status = bestStatus(bounce.status ?? null, diagnostic) ?? '';
  const text = wordsOf(diagnostic);
  return POLICY.find(([, , when]) => (when.status?.test(status) ?? true) && (when.words?.test(text) ?? true));
}

/** Whether the policy has a line for this. */
export function isExplained(bounce: { status?: string | null; diagnostic?: string | null }): boolean {
  return classify(bounce) !== UNEXPLAINED;
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
