import { createHmac } from 'node:crypto';
import { InvalidEmailAddress, parseDomain, type EmailAddress } from '../../email-address/email-address.js';
import { Invalid } from '../../validation/parsers.js';
import type { MailReport } from '../mail/mail-report.js';
import { emailIdOf, uuidIn } from '../parsing/report.js';
import { equalInConstantTime } from './proof.js';
import type { SourceOption, SourceSettings } from './provider.js';

/** A report that returns one of these Message-IDs is about mail of the account. */
export const MESSAGE_ID_DOMAINS: SourceOption = {
  name: 'messageIdDomains',
  flag: '--message-id-domain <domain>',
  description: 'Domain of your Message-IDs, which prove that a report is about your mail',
  isList: true,
  parse: parseMessageIdDomain,
};

export const UNPROVEN_REPORTS: SourceOption = {
  name: 'unproven',
  flag: '--unproven <allow|refuse>',
  description: 'Whether to accept reports without proof that they are about your mail',
  parse: (text) => (text === 'allow' || text === 'refuse' ? text : new Invalid('must be allow or refuse')),
};

function parseMessageIdDomain(text: string): string | Invalid {
  const domain = parseDomain(text);
  return domain instanceof InvalidEmailAddress || !/\w\.\w/.test(domain)
    ? new Invalid('must be the domain of Message-IDs, as in <42@mail.example.com>')
    : text;
}

export const RETURN_PATH_KEY = 'return_path_key';

export interface Origin {
  emailId: string | null;
  /** Whether the report proves that the email was ours. Anybody can write a report about an email that never existed. */
  isProven: boolean;
}

/**
 * A return path that is signed with the source's key contains the id of the email, and proves that the email was ours. A
 * Message-ID under a domain of the source proves this only as long as nobody else knows these domains.
 */
export function originOf({ recipient, reported }: MailReport, { secrets, options }: SourceSettings): Origin {
  const key = secrets[RETURN_PATH_KEY]?.trim();
  const returned = reported.headers.get('return-path')?.toLowerCase() ?? '';
  const signed = key && uuidInReturnPath(key, [...reported.returnPaths, returned], recipient);
  const field = options.emailIdField?.toLowerCase();
  const emailId = emailIdOf({
    own: signed || (uuidIn(field && reported.headers.get(field)) ?? reported.envelopeId ?? undefined),
    provider: 'mail',
    idKind: 'message-id',
    id: reported.messageId ?? undefined,
  });
  const isProven = Boolean(signed) || isUnder(options.messageIdDomains ?? [], reported.messageId);
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
