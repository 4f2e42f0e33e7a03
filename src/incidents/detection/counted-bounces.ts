import { BUCKET_MS, WINDOW_MS } from './hard-count.js';

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
