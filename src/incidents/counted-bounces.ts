import { createHash } from 'node:crypto';
import { fingerprint } from '../ledger/fingerprint.js';
import { BUCKET_MS, WINDOW_MS } from './detect.js';

const RECENT_MS = 30 * 86_400_000;

export interface BounceFacts {
  group: string;
  text: string | null;
  occurredAt: Date;
  lastBounceAt: Date | null;
  lastDeliveryAt: Date | null;
}

export function bucketOf(at: number): number {
  return at - (at % BUCKET_MS);
}

/** Whether it is the first bounce of its address within {@link WINDOW_MS}. */
export function isFirstInWindow({ occurredAt, lastBounceAt }: BounceFacts): boolean {
  return !lastBounceAt || lastBounceAt.getTime() <= occurredAt.getTime() - WINDOW_MS;
}

export function isRecentlyDelivered({ occurredAt, lastDeliveryAt }: BounceFacts): boolean {
  return lastDeliveryAt !== null && lastDeliveryAt.getTime() > occurredAt.getTime() - RECENT_MS;
}

/** The fingerprint of an answer; null if it says nothing. */
export function textOf(diagnostic: string | null, recipient: string): string | null {
  return diagnostic === null ? null : fingerprint(diagnostic, recipient) || null;
}

/** A fingerprint as the database stores it, since it may be long: its MD5, in the form of a UUID. */
export function hashOfText(text: string): string {
  const hash = createHash('md5').update(text).digest('hex');
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
