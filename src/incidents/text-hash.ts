import { createHash } from 'node:crypto';
import { fingerprint } from '../ledger/fingerprint.js';

/** The fingerprint of an answer; null if it says nothing. */
export function textOf(diagnostic: string | null, recipient: string): string | null {
  return diagnostic === null ? null : fingerprint(diagnostic, recipient) || null;
}

/** A fingerprint as the database stores it, since it may be long: its MD5, in the form of a UUID. */
export function hashOfText(text: string): string {
  const hash = createHash('md5').update(text).digest('hex');
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
