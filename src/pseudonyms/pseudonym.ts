import { createHmac, randomBytes, type KeyObject } from 'node:crypto';
import { ERASED_DOMAIN, type EmailAddress } from '../email-address/email-address.js';

const PSEUDONYM_BYTES = 16;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const BITS_PER_DIGIT = 5;
const PREFIX = 'erased-';
const PSEUDONYM = new RegExp(`^${PREFIX}[a-z2-7]{26}@${ERASED_DOMAIN}$`);
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The first 16 bytes of the HMAC-SHA-256 of an address under the key of its account. */
export function pseudonymOf(key: KeyObject, email: string): EmailAddress {
  return toName(createHmac('sha256', key).update(email).digest());
}

/** A pseudonym that cannot be traced to an address. */
export function randomPseudonym(): EmailAddress {
  return toName(randomBytes(PSEUDONYM_BYTES));
}

/** Checks the prefix first, because most addresses do not have it, and this takes a tenth of the time of the whole pattern. */
export function isPseudonym(text: string): text is EmailAddress {
  return text.startsWith(PREFIX) && PSEUDONYM.test(text);
}

/**
 * A fast hash of an address (FNV-1a). If no kept block has the hash, the address needs no HMAC, which takes forty times as
 * long. The hash could be reversed by brute force, so it is stored only as {@link maskedFilter}.
 */
export function filterOf(email: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < email.length; index++) {
    hash = Math.imul(hash ^ email.charCodeAt(index), FNV_PRIME);
  }
  return hash | 0;
}

/** Masks and unmasks the {@link filterOf} of an erased address, so that it cannot be read without the key. */
export function maskedFilter(key: KeyObject, pseudonym: string, filter: number): number {
  return filter ^ createHmac('sha256', key).update(pseudonym).digest().readInt32BE();
}

function toName(bytes: Buffer): EmailAddress {
  let text = '';
  for (let index = 0, bits = 0, width = 0; index < PSEUDONYM_BYTES; index++) {
    bits = ((bits << 8) | bytes[index]!) & 0xfff;
    for (width += 8; width >= BITS_PER_DIGIT;) {
      width -= BITS_PER_DIGIT;
      text += BASE32[(bits >>> width) & 0x1f]!;
    }
    if (index === PSEUDONYM_BYTES - 1) {
      text += BASE32[(bits << (BITS_PER_DIGIT - width)) & 0x1f]!;
    }
  }
  return `${PREFIX}${text}@${ERASED_DOMAIN}` as EmailAddress;
}
