import * as says from './wording.js';

/**
 * - `hard`: the address will never accept mail.
 * - `soft`: the address may accept mail later.
 * - `blocked`: the sender, the message or the sending server was refused, which says nothing about the address.
 * - `other`: not a failure.
 */
export type BounceType = 'hard' | 'soft' | 'blocked' | 'other';

export type PolicyLine = readonly [
  bounceType: BounceType,
  reason: string,
  when: { words?: RegExp; status?: RegExp },
];

/**
 * The policy for bounces. The first line whose conditions all hold decides. A status is an enhanced code (RFC 3463 and
 * its IANA registry); a reply code such as 550 counts as 5.0.0.
 *
 * Words take precedence over codes, because servers assign codes carelessly: of the real bounces with a 5.x.x code that
 * were examined, six in ten are no reason to suppress. Words about other causes take precedence over words about missing
 * mailboxes, because notes about blocks mention users and addresses too.
 */
export const BOUNCE_POLICY: readonly PolicyLine[] = [
  ['other', 'the mail was delivered', { status: /^2\./ }],
  ['other', 'the recipient is away', { words: says.AWAY }],

  // A fault in the sender's own DNS must not suppress everybody that it mails.
  ['blocked', 'the sender address or its domain was refused', { status: /^\d\.1\.[78]$/ }],

  ['soft', 'the mailbox is full', { words: says.FULL }],
  ['blocked', 'the message is too large', { words: says.TOO_LARGE }],
  ['blocked', 'the sender exceeded a rate limit', { words: says.TOO_MANY }],
  ['blocked', 'the sender could not be authenticated', { words: says.AUTHENTICATION }],
  ['blocked', 'the name of the sending server was refused', { words: says.SERVER_NAME }],
  ['blocked', 'the server does not relay mail for the sender', { words: says.RELAYING }],
  ['blocked', 'the message was refused as spam or malware', { words: says.CONTENT }],
  ['blocked', 'the sending server or domain is blocked', { words: says.BLOCKED }],
  ['blocked', 'the sender address or its domain was refused', { words: says.SENDER }],
  [
    'blocked',
    'the group does not exist, or does not accept mail from the sender',
    { words: says.GROUP, status: /^(?!5\.1\.)/ },
  ],
  // Exchange Online refuses recipients that are not in a domain's directory in these words ("edge blocking").
  ['hard', 'the mailbox does not exist', { words: says.NOT_IN_DIRECTORY, status: /^5\.4\.1$/ }],
  ['blocked', 'the message violates a policy of the receiving server', { words: says.POLICY_RULE }],
  ['blocked', 'the format of the message was refused', { words: says.MESSAGE_FORMAT }],
  ['blocked', 'the connection could not be secured', { words: says.ENCRYPTION }],
  ['blocked', 'the message ran into a mail loop', { words: says.LOOP }],
  ['blocked', 'the sender address or its domain was refused', { words: says.REPLY_TO_SENDER }],
  ['soft', 'the failure is temporary', { words: says.MOMENTARY }],
  ['soft', 'the server could not be reached', { status: /^4\.(?:1\.2|[34]\.)/ }],

  // RFC 3463, 3.7: about the message, even if the words are "invalid header in email".
  ['blocked', 'the format of the message was refused', { status: /^\d\.6\./ }],

  ['hard', 'the domain does not accept mail', { words: says.NO_MAIL }],
  ['hard', 'the recipient has moved', { words: says.MOVED }],
  ['hard', 'the mailbox does not exist', { words: says.NO_MAILBOX }],
  ['hard', 'the mailbox does not exist', { words: says.NO_MAILBOX_ABROAD }],
  ['hard', 'the mailbox is closed', { words: says.CLOSED_MAILBOX }],
  ['hard', 'the mailbox is closed', { words: says.CLOSED_MAILBOX_ABROAD }],
  ['hard', 'the domain does not exist', { words: says.NO_DOMAIN, status: /^(?:5|$)/ }],
  // RFC 5321 words 550 as "mailbox unavailable (not found, no access)", and 450 as "mailbox unavailable (busy)".
  [
    'hard',
    'the server has no such mailbox',
    { words: says.REFUSED_MAILBOX, status: /^5\.(?:0\.0|1\.[01]|2\.1|5\.0)$/ },
  ],
  // A host that never accepts mail answers 521 with 5.3.2 (RFC 7504).
  ['hard', 'the server does not accept mail', { words: says.NOT_ACCEPTING, status: /^5\.3\.2$/ }],

  ['soft', 'the server could not be reached', { words: says.UNREACHABLE }],
  ['soft', 'the server did not accept the mail in time', { words: says.OUT_OF_TIME }],
  ['soft', 'the mailbox is suspended', { words: says.SUSPENDED }],

  ['hard', 'the mailbox does not exist', { status: /^5\.1\.(?:1|3|6)$/ }],
  ['hard', 'the domain does not exist', { status: /^5\.1\.2$/ }],
  ['hard', 'the domain does not accept mail', { status: /^5\.1\.10$/ }],
  ['soft', 'the mailbox is full', { status: /^\d\.2\.2$/ }],
  ['blocked', 'the message is too large', { status: /^\d\.(?:2\.3|3\.4)$/ }],
  ['soft', 'the receiving system failed', { status: /^\d\.3\./ }],
  ['soft', 'the server did not accept the mail in time', { status: /^\d\.4\.7$/ }],
  ['soft', 'the server could not be reached', { status: /^\d\.4\./ }],
  ['blocked', 'the message violates a policy of the receiving server', { status: /^\d\.7\./ }],
  ['soft', 'the failure is temporary', { status: /^4\./ }],
];
