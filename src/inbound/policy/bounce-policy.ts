import * as says from './wording.js';

/**
 * - `hard`: the address will never accept mail.
 * - `listed`: the provider did not send, because the address is on its own list.
 * - `soft`: the address may accept mail later.
 * - `blocked`: the sender, the message or the sending server was refused, which says nothing about the address.
 * - `other`: not a failure.
 */
export type BounceType = 'hard' | 'listed' | 'soft' | 'blocked' | 'other';

export type PolicyLine = readonly [
  bounceType: BounceType,
  reason: string,
  /** A standard, or the mail servers whose wording the line is based on. */
  source: string,
  words: RegExp,
  /** An enhanced code (RFC 3463 and its IANA registry); the reply code 550 alone counts as 5.0.0. */
  status?: RegExp,
  reply?: RegExp,
];

const ANY = /(?:)/;
const NOT_TEMPORARY = /^(?!4)/;

/**
 * The policy for bounces. The first line whose conditions all hold decides.
 *
 * Words take precedence over codes, because servers assign codes carelessly: of the real bounces with a 5.x.x code that
 * were examined, six in ten are no reason to suppress. Words about other causes take precedence over words about missing
 * mailboxes, because notes about blocks mention users and addresses too. X.1.7 and X.1.8 blame the sender whatever the words
 * are, and so does 4.7.X if the words only say to try again.
 *
 * A 4.X.X says that its cause may pass, so it does not suppress, with one exception: 450 or 4.1.1 with words that name a
 * missing mailbox. Postfix answers so if unknown_local_recipient_reject_code is 450, and by default for an address that a
 * probe found missing; the bounce follows days of the same answer. Other 4.X.X codes contradict such words.
 */
export const BOUNCE_POLICY: readonly PolicyLine[] = [
  ['other', 'the mail was delivered', 'RFC 3463, 2', ANY, /^2\./],
  ['other', 'the recipient is away', 'RFC 3834', says.AWAY],
  [
    'other',
    'the provider did not send, because the recipient had complained or unsubscribed',
    'SparkPost',
    says.OPTED_OUT,
  ],
  [
    'listed',
    'the address is on the suppression list of the provider',
    'Amazon SES, SparkPost, Mailgun',
    says.LISTED,
  ],

  // A fault in the sender's own DNS or login must not suppress everybody that it mails.
  ['blocked', 'the sender address or its domain was refused', 'RFC 3463, 3.2', ANY, /^\d\.1\.[78]$/],
  ['blocked', 'the sender could not be authenticated', 'RFC 4954, 6', ANY, ANY, /^53[458]$/],
  [
    'blocked',
    'the sender could not be authenticated',
    'RFC 5248, RFC 7372, RFC 7505',
    ANY,
    /^\d\.7\.(?:[89]|1[124]|2\d)$/,
  ],
  ['soft', 'the mailbox is suspended', 'RFC 5248, X.7.13', ANY, /^\d\.7\.13$/],

  ['soft', 'the mailbox is full', 'Gmail, Exchange, Dovecot, Yahoo', says.FULL],
  ['blocked', 'the message is too large', 'Postfix, Exim, Exchange', says.TOO_LARGE],
  ['blocked', 'the sender exceeded a rate limit', 'Gmail, Yahoo, GMX', says.TOO_MANY],
  ['blocked', 'the sender could not be authenticated', 'RFC 7372; Gmail, Exchange', says.AUTHENTICATION],
  ['blocked', 'the name of the sending server was refused', 'Postfix, Exim, GMX', says.SERVER_NAME],
  [
    'blocked',
    'the name of the sending server was refused',
    'sendmail, Postfix',
    says.UNKNOWN_HOST,
    /^(?!5\.1\.2$|5\.4\.4$)/,
  ],
  [
    'blocked',
    'the sender address or its domain was refused',
    'Exim, Courier',
    says.NO_MX,
    /^(?!5\.1\.2$|5\.4\.4$)/,
    /^5[0-5]\d$/,
  ],
  ['blocked', 'the server does not relay mail for the sender', 'Postfix, qmail, Exchange', says.RELAYING],
  ['blocked', 'the message was refused as spam or malware', 'Gmail, Proofpoint, Barracuda', says.CONTENT],
  ['blocked', 'the sending server or domain is blocked', 'Spamhaus, Exchange, Mimecast', says.BLOCKED],
  ['blocked', 'the sender address or its domain was refused', 'Postfix, Exim, sendmail', says.SENDER],
  [
    'blocked',
    'the group does not exist, or does not accept mail from the sender',
    'Google Groups',
    says.GROUP,
    /^(?!5\.1\.)/,
  ],
  // Exchange Online refuses recipients that are not in a domain's directory in these words ("edge blocking").
  ['hard', 'the mailbox does not exist', 'Exchange Online', says.NOT_IN_DIRECTORY, /^5\.4\.1$/],
  ['blocked', 'the server does not accept such mail', 'Exchange, Exim, Zimbra', says.SUCH_MAIL],
  [
    'blocked',
    'the message violates a policy of the receiving server',
    'Exchange, Mimecast, Yahoo',
    says.POLICY_RULE,
  ],
  ['blocked', 'the format of the message was refused', 'Exim, Gmail, Exchange', says.MESSAGE_FORMAT],
  ['blocked', 'the connection could not be secured', 'Postfix, Exchange', says.ENCRYPTION],
  ['blocked', 'the message ran into a mail loop', 'Postfix, Exim, Exchange', says.LOOP],
  [
    'blocked',
    'the sender address or its domain was refused',
    'Exim, Postfix, qmail, sendmail',
    says.REPLY_TO_SENDER,
  ],
  // Even if the words are "try again later": such a deferral is about the reputation or the rate of the sender.
  [
    'blocked',
    'the message violates a policy of the receiving server',
    'RFC 3463, 3.8; Gmail, Exchange Online, Yahoo',
    ANY,
    /^4\.7\./,
  ],
  ['soft', 'the failure is temporary', 'Postgrey, Postfix', says.MOMENTARY],
  ['soft', 'the server could not be reached', 'RFC 3463, 3.4 and 3.5', ANY, /^4\.(?:1\.2|[34]\.)/],

  // Even if the words are "invalid header in email".
  ['blocked', 'the format of the message was refused', 'RFC 3463, 3.7', ANY, /^\d\.6\./],

  ['hard', 'the domain does not accept mail', 'RFC 7505; Exim, Postfix', says.NO_MAIL, /^(?!4|5\.7\.)/],
  ['hard', 'the recipient has moved', 'RFC 3463, X.1.6', says.MOVED, NOT_TEMPORARY],
  [
    'hard',
    'the mailbox does not exist',
    'RFC 5321, 4.2.3; all servers',
    says.NO_MAILBOX,
    /^(?!4\.(?!0\.0$|1\.1$))/,
  ],
  [
    'hard',
    'the mailbox does not exist',
    'servers in other languages',
    says.NO_MAILBOX_ABROAD,
    /^(?!4\.(?!0\.0$|1\.1$))/,
  ],
  ['hard', 'the mailbox is closed', 'Gmail, Yahoo, mail.ru', says.CLOSED_MAILBOX, NOT_TEMPORARY],
  ['hard', 'the mailbox is closed', 'servers in other languages', says.CLOSED_MAILBOX_ABROAD, NOT_TEMPORARY],
  ['hard', 'the domain does not exist', 'Postfix, sendmail, Exim, qmail', says.NO_DOMAIN, NOT_TEMPORARY],
  // RFC 5321 words 550 as "mailbox unavailable (not found, no access)", and 450 as "mailbox unavailable (busy)".
  [
    'hard',
    'the server has no such mailbox',
    'RFC 5321, 4.2.3',
    says.REFUSED_MAILBOX,
    /^5\.(?:0\.0|1\.[01]|2\.1|5\.0)$/,
  ],
  ['hard', 'the server does not accept mail', 'RFC 3463, X.3.2', says.NOT_ACCEPTING, /^5\.3\.2$/],

  ['soft', 'the server could not be reached', 'Postfix, qmail, Exim', says.UNREACHABLE],
  ['soft', 'the server did not accept the mail in time', 'qmail, Exim, sendmail', says.OUT_OF_TIME],
  ['soft', 'the mailbox is suspended', 'Yahoo, mail.ru, Zimbra', says.SUSPENDED],
  ['soft', 'the receiving system failed', 'Postfix, sendmail, Exchange', says.SYSTEM_FAILED],
  ['hard', 'the mailbox does not exist', 'Postfix, Barracuda', says.NOT_VERIFIED, NOT_TEMPORARY],

  // A host, and a domain, that never accepts mail. Others use 521 for blocks, with a status of its own.
  ['hard', 'the server does not accept mail', 'RFC 7504, 3', ANY, /^5\.(?:0\.0|3\.2)$/, /^521$/],
  ['hard', 'the domain does not accept mail', 'RFC 7504, 4; RFC 7505', ANY, /^5\.(?:0\.0|1\.10)$/, /^556$/],
  ['hard', 'the mailbox does not exist', 'RFC 3463, 3.2', ANY, /^5\.1\.(?:1|3|6)$/],
  ['hard', 'the domain does not exist', 'RFC 3463, 3.2', ANY, /^5\.1\.2$/],
  ['hard', 'the domain does not accept mail', 'RFC 7505', ANY, /^5\.1\.10$/],
  ['soft', 'the mailbox is full', 'RFC 3463, 3.3', ANY, /^\d\.2\.2$/],
  ['blocked', 'the message is too large', 'RFC 3463, 3.3 and 3.4', ANY, /^\d\.(?:2\.3|3\.4)$/],
  ['soft', 'the receiving system failed', 'RFC 3463, 3.4', ANY, /^\d\.3\./],
  ['soft', 'the server did not accept the mail in time', 'RFC 3463, 3.5', ANY, /^\d\.4\.7$/],
  ['soft', 'the server could not be reached', 'RFC 3463, 3.5', ANY, /^\d\.4\./],
  ['blocked', 'the message violates a policy of the receiving server', 'RFC 3463, 3.8', ANY, /^\d\.7\./],
  ['soft', 'the failure is temporary', 'RFC 3463, 2', ANY, /^4\./],
];
