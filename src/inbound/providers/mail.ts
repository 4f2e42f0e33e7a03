import { createHmac } from 'node:crypto';
import { InvalidEmailAddress, parseDomain, type EmailAddress } from '../../email-address/email-address.js';
import { tokensIn, type LinkTarget } from '../../unsubscribe-links/token.js';
import { Invalid } from '../../validation/parsers.js';
import { readableHead } from '../mail/message-head.js';
import { openMessage } from '../mail/opened-message.js';
import { reportsIn } from '../mail/read-reports.js';
import type { MailReport } from '../mail/mail-report.js';
import { UNPROVEN, type DeliveryEvent } from '../parsing/delivery-event.js';
import { MalformedBodyError } from '../parsing/json.js';
import { contentKey, deliveryEvent, emailIdOf, eventKey, uuidIn } from '../parsing/report.js';
import type { Classification } from '../policy/classify.js';
import { CREDENTIAL, equalInConstantTime, hardToGuess, verifyCredential } from './proof.js';
import {
  EMAIL_ID_FIELD,
  type FindTarget,
  type MailProvider,
  type ReadMail,
  type SourceOption,
  type SourceSettings,
} from './provider.js';

/** A report that returns one of these Message-IDs is about mail of the account. */
const MESSAGE_ID_DOMAINS: SourceOption = {
  name: 'messageIdDomains',
  flag: '--message-id-domain <domain>',
  description: 'Domain of your Message-IDs, which prove that a report is about your mail',
  isList: true,
  parse: parseMessageIdDomain,
};

const UNPROVEN_REPORTS: SourceOption = {
  name: 'unproven',
  flag: '--unproven <allow|refuse>',
  description: 'Whether to accept reports without proof that they are about your mail',
  choices: { '': 'No: they are only stored', allow: 'Yes' },
  parse: (text) => (text === 'allow' || text === 'refuse' ? text : new Invalid('must be allow or refuse')),
};

function parseMessageIdDomain(text: string): string | Invalid {
  const domain = parseDomain(text);
  return domain instanceof InvalidEmailAddress || !/\w\.\w/.test(domain)
    ? new Invalid('must be the domain of Message-IDs, as in <42@mail.example.com>')
    : text;
}

export const RETURN_PATH_KEY = 'return_path_key';

const NO_LIST = {
  none: 'If your mail server relays through a provider, the provider may still have this address on a list of its own: remove it there.',
};

/** A mail server of the operator, which hands over the bounces and feedback reports that it receives. */
export const mail = {
  name: 'mail',
  secrets: [
    ...CREDENTIAL,
    {
      name: RETURN_PATH_KEY,
      description:
        'The key that signs return paths: "source verp" prints a signed one, and docs/providers/mail.md has the formula.',
      generatedBy: 'service',
      problemWith: hardToGuess(RETURN_PATH_KEY),
    },
  ],
  options: [EMAIL_ID_FIELD, MESSAGE_ID_DOMAINS, UNPROVEN_REPORTS],
  setup: [
    'Send mail with a return path that is signed with the return_path_key: "source verp" prints one for any UUID of an email.',
    'On the mail server that receives bounces and feedback reports, pipe each message to curl, and let curl post it to this URL.',
    'Give curl the username and the password of this source in a file. Let the mail server try again when curl fails.',
  ],
  suppressionLists: { bounce: NO_LIST, complaint: NO_LIST, unsubscribe: NO_LIST, manual: NO_LIST },
  takesMail: true,
  verify: verifyCredential,
  readMail,
} as const satisfies MailProvider;

/** One message, which can report on any number of recipients. Other mail has no event. */
export async function readMail(
  message: Buffer,
  source: SourceSettings,
  findTarget: FindTarget,
): Promise<ReadMail> {
  if (message.length === 0) {
    throw new MalformedBodyError('it must be a message');
  }
  const opened = await openMessage(message);
  const reports = await reportsIn(opened);
  const [first] = reports;
  const target = first ? await findFirst(tokensIn(first.reported.unsubscribeFields), findTarget) : null;
  const messageKey = first?.reported.reportId ?? (first && hashOf(message));
  return {
    events: mailedAddresses(reports, target).map((report) => toEvent(report, messageKey!, source, target)),
    sentTo: opened.sentTo,
  };
}

async function findFirst(tokens: string[], findTarget: FindTarget): Promise<LinkTarget | null> {
  for (const token of tokens) {
    const target = await findTarget(token);
    if (target) {
      return target;
    }
  }
  return null;
}

/**
 * A feedback report may conceal the address that was mailed, replace it by a hash, or name the one to which the mail was forwarded.
 * The link names it.
 */
function mailedAddresses(reports: MailReport[], target: LinkTarget | null): MailReport[] {
  const [first] = reports;
  return target && first!.bounceType === null ? [{ ...first!, recipient: target.email }] : reports;
}

/**
 * The key of the event includes whether the report is proven, so that a forgery does not block the genuine report, and a report
 * can be ingested again after the source was configured to accept it.
 */
function toEvent(
  report: MailReport,
  messageKey: string,
  source: SourceSettings,
  target: LinkTarget | null,
): DeliveryEvent {
  const { recipient, status, diagnostic, reported } = report;
  const { emailId, isProven } = originOf(report, source, target?.email === recipient ? target : null);
  const isBelieved = isProven || source.options.unproven === 'allow';
  const { kind, effect, reason } = isBelieved ? report : unproven(report);
  return deliveryEvent({
    key: eventKey(isBelieved ? 'believed' : 'unproven', kind, messageKey, recipient ?? '-'),
    recipient: recipient ?? undefined,
    emailId,
    rawMessageId: reported.messageId ?? reported.envelopeId,
    occurredAt: reported.reportedAt,
    status,
    diagnostic,
    kind,
    effect,
    reason,
  });
}

function unproven({ kind, effect, reason }: Classification): Classification {
  return { kind, effect: 'none', reason: effect === 'none' ? reason : `${UNPROVEN}${reason}` };
}

function hashOf(message: Buffer): string {
  return contentKey(Buffer.from(readableHead(message).bytes).toString('latin1'));
}

interface Origin {
  emailId: string | null;
  /** Whether the report proves that the email was ours. Anybody can write a report about an email that never existed. */
  isProven: boolean;
}

/**
 * A return path that is signed with the source's key contains the id of the email, and proves that the email was ours. A
 * Message-ID under a domain of the source proves this only as long as nobody else knows these domains.
 *
 * @param target - of an unsubscribe link in the returned email, if it was made for the recipient
 */
function originOf(
  { recipient, reported }: MailReport,
  { secrets, options }: SourceSettings,
  target: LinkTarget | null,
): Origin {
  const key = secrets[RETURN_PATH_KEY]?.trim();
  const returned = reported.headers.get('return-path')?.toLowerCase() ?? '';
  const signed = key && uuidInReturnPath(key, [...reported.returnPaths, returned], recipient);
  const field = options.emailIdField?.toLowerCase();
  const emailId = emailIdOf({
    own:
      signed ||
      (uuidIn(field && reported.headers.get(field)) ?? target?.emailId ?? reported.envelopeId ?? undefined),
    provider: 'mail',
    idKind: 'message-id',
    id: reported.messageId ?? undefined,
  });
  const isProven =
    Boolean(signed) || target !== null || isUnder(options.messageIdDomains ?? [], reported.messageId);
  return { emailId, isProven };
}

function isUnder(domains: readonly string[], messageId: string | null): boolean {
  const domain = parseDomain(messageId?.slice(messageId.lastIndexOf('@') + 1) ?? '');
  if (domain instanceof InvalidEmailAddress || !messageId?.includes('@')) {
    return false;
  }
  return domains.map(parseDomain).some((parent) => `.${domain}`.endsWith(`.${String(parent)}`));
}

const DEFAULT_MAILBOX = 'bounce';
/** 96 bits. Together with `bounce+` and a UUID, they fill the 64 bytes of a local part (RFC 5321, section 4.5.3.1.1). */
const SIGNATURE_DIGITS = 24;
const SIGNED = /[+-]([0-9a-f]{32})\.([0-9a-f]{24})@/;
/** How many addresses of a header are tried; it may name thousands. */
const MAX_TRIED = 10;

/**
 * The local part of a return path (VERP) that proves that an email was ours: `bounce+<UUID in 32 hex digits>.<signature>`.
 * Letter case never matters, since mail servers do not keep it.
 *
 * @param uuid - the email id
 * @param recipient - limits the proof to this recipient
 */
export function signReturnPath(key: string, uuid: string, recipient?: EmailAddress): string {
  const digits = uuid.toLowerCase().replaceAll('-', '');
  return `${DEFAULT_MAILBOX}+${digits}.${signatureOf(key, digits, recipient)}`;
}

/** The UUID, in lower case, in the first address that is signed with the key for any recipient or for this one. */
function uuidInReturnPath(
  key: string,
  addresses: readonly string[],
  recipient: EmailAddress | null,
): string | undefined {
  const [digits] =
    addresses
      .flatMap((address) => [SIGNED.exec(address) ?? []])
      .map(([, id, signature]) => [id, signature] as const)
      .filter(([id]) => id !== undefined)
      .slice(0, MAX_TRIED)
      .find(([id, signature]) => isSigned(key, id!, signature!, recipient)) ?? [];
  return digits?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function isSigned(key: string, digits: string, signature: string, recipient: EmailAddress | null): boolean {
  const forAny = equalInConstantTime(signature, signatureOf(key, digits));
  const forOne = recipient !== null && equalInConstantTime(signature, signatureOf(key, digits, recipient));
  return forAny || forOne;
}

/** The first 96 bits of HMAC-SHA256, in hex (RFC 2104, section 5, allows to truncate to 80). */
function signatureOf(key: string, digits: string, recipient?: EmailAddress): string {
  return createHmac('sha256', key)
    .update(recipient === undefined ? digits : `${digits} ${recipient}`)
    .digest('hex')
    .slice(0, SIGNATURE_DIGITS);
}
