import { createHmac } from 'node:crypto';
import type { EmailAddress } from '../../../email-address/email-address.js';
import { equalInConstantTime } from '../proof.js';

const DEFAULT_MAILBOX = 'bounce';
/** 96 bits. With it, `bounce+` and a UUID fill the 64 bytes of a local part (RFC 5321, section 4.5.3.1.1). */
const SIGNATURE_DIGITS = 24;
const SIGNED = /[+-]([0-9a-f]{32})\.([0-9a-f]{24})@/;
/** A header may name thousands of addresses. */
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
export function uuidInReturnPath(
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
