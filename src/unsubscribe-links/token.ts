import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { InvalidEmailAddress, parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { idFromHex } from '../validation/parsers.js';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
/** The version, and the id of the key in 4 bytes, big-endian. */
const HEAD_BYTES = 5;
/** NIST SP 800-38D, section 8.2.2: 96 random bits. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const UUID_BYTES = 16;
const PURPOSE = Buffer.from('unsubscribe');
const MAX_TOKEN_LENGTH = 600;
const MAX_FIELDS_LENGTH = 10_000;
const MAX_TRIED = 5;

export interface LinkTarget {
  email: EmailAddress;
  /** Null if the link unsubscribes from everything. */
  topicId: string | null;
  emailId: string | null;
}

export interface UnsubscribeKey {
  accountId: number;
  id: number;
  bytes: Buffer;
}

/** Encrypts the target of a link. `docs/unsubscribe.md` specifies the token byte by byte. */
export function sealToken(
  key: UnsubscribeKey,
  { email, topicId, emailId }: LinkTarget,
  iv = randomBytes(IV_BYTES),
): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION);
  head.writeUInt32BE(key.id, 1);
  const cipher = createCipheriv(ALGORITHM, key.bytes, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.concat([PURPOSE, head]));
  const target = Buffer.concat([bytesOf(topicId), bytesOf(emailId), Buffer.from(email)]);
  const sealed = [cipher.update(target), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([head, iv, ...sealed]).toString('base64url');
}

/**
 * The token at the start of a damaged link: mail programs append `.`, `>`, `=`, quotes, or `%20`, none of which is in the
 * alphabet of base64url.
 */
export function trimToken(text: string): string {
  return /^[\w-]*/.exec(text)![0];
}

/**
 * What may be tokens of links in List-Unsubscribe fields, some of which others may have written. White space in a URL comes from
 * folding, and is not part of it (RFC 2369, section 2).
 */
export function tokensIn(fields: string): string[] {
  const urls = fields.slice(0, MAX_FIELDS_LENGTH).replaceAll(/\s/g, '');
  const tokens = Array.from(urls.matchAll(/\/u\/([\w-]+)/g), ([, token]) => token!);
  return tokens.filter((token) => keyIdOf(token) !== undefined).slice(0, MAX_TRIED);
}

/** The id of the key that a token names; undefined if it cannot be a token. */
export function keyIdOf(token: string): number | undefined {
  const bytes = token.length <= MAX_TOKEN_LENGTH ? Buffer.from(token, 'base64url') : Buffer.alloc(0);
  const isToken =
    bytes.length > HEAD_BYTES + IV_BYTES + 2 * UUID_BYTES + TAG_BYTES &&
    bytes[0] === VERSION &&
    bytes.toString('base64url') === token;
  return isToken ? bytes.readUInt32BE(1) : undefined;
}

/** Decrypts the target of a token; undefined if the token was not made with the key. */
export function openToken(key: UnsubscribeKey, token: string): LinkTarget | undefined {
  const bytes = Buffer.from(token, 'base64url');
  const head = bytes.subarray(0, HEAD_BYTES);
  const sealed = bytes.subarray(HEAD_BYTES + IV_BYTES, -TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(HEAD_BYTES).subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.concat([PURPOSE, head]));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return readTarget(Buffer.concat([decipher.update(sealed), decipher.final()]));
  } catch {
    return undefined;
  }
}

function readTarget(target: Buffer): LinkTarget | undefined {
  const email = parseEmailAddress(target.toString('utf8', 2 * UUID_BYTES));
  return email instanceof InvalidEmailAddress
    ? undefined
    : { email, topicId: uuidAt(target, 0), emailId: uuidAt(target, UUID_BYTES) };
}

/** Zeros stand for null. */
function bytesOf(uuid: string | null): Buffer {
  return uuid === null ? Buffer.alloc(UUID_BYTES) : Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

function uuidAt(bytes: Buffer, start: number): string | null {
  const part = bytes.subarray(start, start + UUID_BYTES);
  const hex = part.toString('hex');
  return part.every((byte) => byte === 0) ? null : idFromHex(hex);
}
