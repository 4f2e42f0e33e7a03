import { decodedHeader, header, partOf, type Message } from './message.js';

/** People write from a postmaster's address too, and all kinds of machines from a no-reply address. */
type Sender = 'daemon' | 'null-path' | 'postmaster' | 'no-reply' | 'person';

const DAEMON = /^(?:mailer[-_.]?daemon|mdaemon|mail[-_.]?daemon|mail-?delivery[\w.-]*|double-bounce)$/;
/** A host without a name writes its bare IP address as the domain, so the domain is not checked. */
const LOCAL_PART = /(?:"([^"@]{1,64})"|([\w.+-]{1,64}))@/g;
const DAEMON_NAME = /\bmail(?:er)?[- ]?(?:delivery (?:sub-?)?system|daemon)|\bmailer-daemon\b/i;
const POSTMASTER =
  /^(?:p(?:o{1,2})st[-_.]?master|mail-?admin|(?:system )?administrator|daemon|bounces?|mta|[\w.-]{0,40}(?:smtp|mail)[-_.]?(?:service|server|gateway|system))$/;
const NO_REPLY = /^(?:no|do[-_.]?not)[-_.]?reply$/;
const NULL_SENDER = /^\s*<\s*>\s*$/;

const FAILURE_SUBJECT =
  /\b(?:undeliver(?:able|ed)|returned (?:e?-?mail|to sender)|returning message|failure (?:notice|notification|delivery)|delivery[- ](?:\w+ )?(?:fail|status|problem|error)|fail\w* (?:delivery|mail)|mail (?:delivery )?(?:failure|failed|error)|(?:message|mail|e-?mail) (?:\w+ ){0,3}(?:not|could not be|cannot be) (?:\w+ )?deliver|(?:delivery|message|mail) (?:\w+ ){0,2}(?:has |have )?failed|non[- ]?deliver|not delivered|unzustellbar|error sending your mail|mail system error|could not send|unable to deliver|delivery report|delivery notification|user unknown|unknown user)/i;
const FAILURE_WORDS =
  /\b(?:(?:could|can|was|were|has|have|did|is) ?(?:not|nt|n't|n’t) (?:be |been |yet been )?(?:\w+ )?(?:deliver|reach|sent)|cannot be delivered|un(?:able to|deliver)|wasn'?t able to deliver|fail(?:ed|ure)(?: \w+){0,4} deliver|deliver\w*(?: \w+){0,6} (?:failed|failure|error)|fatal errors|permanent(?:ly)? (?:fatal )?(?:error|fail|reject)|transcript of session|returned to sender|had trouble delivering|failure reasons|error (?:\w+ ){0,3}while (?:\w+ ){0,3}deliver|error delivering|invalid user address|(?:invalid|unknown) (?:final delivery )?userid|mailbox is full|account is disabled|has been returned|automatically rejected|no such user|user unknown|unknown user|was rejected by|rejected (?:by|recipient)|delivery status notification)/i;

const DELAY_SUBJECT =
  /\bdelay(?:ed)?\b|\bstill being retried\b|\bwarning\W{1,4}could not send\b|^\s*warning: message\b/i;
const DELAY_WORDS =
  /\b(?:warning message only|(?:has|have) (?:not yet been|been delayed)|not yet been delivered|will be retried|will continue to try|temporary failure report|is delayed|still (?:being )?(?:trying|retried|queued)|do not need to re-?send|delivery attempts will continue)\b/i;
const GIVEN_UP = /\b(?:permanent(?:ly)?|fatal|given up|giving up|failed permanently|gave up)\b/i;

/** The fields of newsletters (RFC 2369, RFC 2919): a report has them only if a mailing list passed it on. */
const MAILING_FIELDS = ['list-unsubscribe', 'list-id', 'list-post'];
const HEAD_LINES = 60;
const MAX_HEAD_LENGTH = 6_000;
/** qmail, Postfix and their descendants begin a recipient's section like this, in any language. */
const HEADING = /^<[^<>\s@]{1,256}@[^<>\s@]{1,253}>:/;
/** A mail server's refusal: a reply code with words. */
const REPLY = /(?:^|[\s:<(])5[0-5]\d[- ](?:5\.\d{1,3}\.\d{1,3} )?\S/;
/** The fields of a delivery status (RFC 3464, section 2.3) outside of its own part. */
const STATUS_FIELD = /^\s{0,4}(?:final|original)-recipient:/i;

/**
 * Whether a message reports a failure, according to the marks that machines leave on their mail, never according to what it says
 * about a mailbox. A failure has two kinds of marks: its sender is a machine (null return path, RFC 5321, section 4.5.5;
 * MAILER-DAEMON, postmaster; X-Failed-Recipients), and its subject or first words are those with which mail servers return mail.
 */
export function isFailureNotice(message: Message, lines: string[]): boolean {
  const namesFailed = header(message, 'x-failed-recipients') !== '';
  const sender = namesFailed ? 'daemon' : senderOf(message);
  if (sender === 'person' || (sender === 'null-path' && isMailing(message))) {
    return false;
  }
  const subject = decodedHeader(message, 'subject');
  const head = lines.slice(0, HEAD_LINES).join(' ').slice(0, MAX_HEAD_LENGTH).replace(/\s+/g, ' ');
  const hasSubject = FAILURE_SUBJECT.test(subject);
  const hasWords = FAILURE_WORDS.test(head);
  const hasFields = lines.some((line) => STATUS_FIELD.test(line));
  const hasRecipient = hasFields || REPLY.test(head) || lines.some((line) => HEADING.test(line));
  const returnsMail = hasFields || partOf(message, 'message/rfc822', 'text/rfc822-headers') !== undefined;
  const marks = [hasSubject, hasWords, hasRecipient].filter(Boolean).length;
  const hasMarks: Record<Exclude<Sender, 'person'>, boolean> = {
    daemon: namesFailed || marks >= 1,
    'null-path': hasWords || marks >= 2,
    postmaster: marks >= 2,
    'no-reply': returnsMail && (hasSubject || hasWords),
  };
  const isDelay = DELAY_WORDS.test(head) || (DELAY_SUBJECT.test(subject) && !GIVEN_UP.test(head));
  return hasMarks[sender] && (namesFailed || !isDelay);
}

/** Whether a mail server sent the message, rather than a person or an autoresponder. */
export function isFromMachine(message: Message): boolean {
  return senderOf(message) !== 'person';
}

/** Both bounces and automatic replies (RFC 3834) have a null return path. */
function senderOf(message: Message): Sender {
  const written = [decodedHeader(message, 'from'), decodedHeader(message, 'return-path')];
  const names = written.flatMap((text) =>
    [...text.matchAll(LOCAL_PART)].map(([, quoted, plain]) => (quoted ?? plain)!.toLowerCase()),
  );
  if (names.some((name) => DAEMON.test(name)) || written.some((text) => DAEMON_NAME.test(text))) {
    return 'daemon';
  }
  const hasNullPath = message.headers.some(
    ({ name, value }) =>
      ((name === 'return-path' || name === 'from') && NULL_SENDER.test(value)) ||
      (name === 'return-path' && value.trim() === ''),
  );
  const isFromPostmaster = names.length === 0 || names.some((name) => POSTMASTER.test(name));
  if (hasNullPath && isFromPostmaster) {
    return 'daemon';
  }
  if (hasNullPath && !isAutoReply(message)) {
    return 'null-path';
  }
  if (isFromPostmaster) {
    return 'postmaster';
  }
  return names.some((name) => NO_REPLY.test(name)) ? 'no-reply' : 'person';
}

/** RFC 3834, section 5, and the fields that preceded it. */
function isAutoReply(message: Message): boolean {
  return (
    /^\s*auto-replied/i.test(header(message, 'auto-submitted')) ||
    ['x-autoreply', 'x-autorespond', 'x-autoresponder'].some((name) => header(message, name) !== '')
  );
}

function isMailing(message: Message): boolean {
  return MAILING_FIELDS.some((name) => header(message, name) !== '');
}
