import { setTimeout as delay } from 'node:timers/promises';
import type { Measurement } from './job.js';

const MAX_REQUESTS = 2_000_000;
/** How long to wait for the last responses after the end. */
const PATIENCE_MS = 20_000;

/** Sends one request, and calls back when the correct response has arrived, or with an error. */
export type Sender = (done: (error?: Error | null) => void) => void;

/** Keeps every sender busy, with one request at a time, and waits for the last responses. */
export async function drive(senders: Sender[], seconds: number): Promise<Measurement> {
  const latencies = new Float64Array(MAX_REQUESTS);
  let requests = 0;
  const start = performance.now();
  const end = start + seconds * 1000;
  const repeat = (send: Sender): Promise<void> =>
    new Promise((resolve, reject) => {
      const next = (): void => {
        const sentAt = performance.now();
        if (sentAt >= end || requests >= MAX_REQUESTS - senders.length) {
          resolve();
          return;
        }
        send((error) => {
          if (error) {
            reject(error);
            return;
          }
          latencies[requests++] = performance.now() - sentAt;
          next();
        });
      };
      next();
    });
  const timeout = delay(seconds * 1000 + PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error('the last responses did not arrive');
  });
  await Promise.race([Promise.all(senders.map(repeat)), timeout]);
  const sorted = latencies.subarray(0, requests).toSorted();
  const percentile = (share: number) => sorted[Math.floor(requests * share)] ?? NaN;
  const took = (performance.now() - start) / 1000;
  return { requests, seconds: took, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
}
