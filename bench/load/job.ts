import type { Records } from '../records.js';

export type Workload =
  | `get-by-${'address' | 'id'}`
  | 'check'
  | 'check-topic'
  | `${'first' | 'deep' | 'feed'}-page`
  | `add-${'present' | 'new'}`
  | `deliver-${'' | 'counted-'}${'batches' | 'singles'}`;

/** Where a provider delivers its events, and the credential that it sends. */
export interface EventSource {
  id: string;
  path: string;
  authorization: string;
}

/** A source without a soft limit, and one with it. */
export interface EventSources {
  plain: EventSource;
  limited: EventSource;
}

export interface HttpTarget {
  port: number;
  apiKey: string;
}

/** The service that a local copy follows, and the folder of the copy. */
export interface ReplicaTarget {
  url: string;
  apiKey: string;
  path: string;
}

/** A measurement that the load process is asked to make. */
export interface Job {
  workload: Workload;
  target: HttpTarget | { databaseUrl: string } | { replica: ReplicaTarget };
  records: Records;
  sources: EventSources;
  connections: number;
  seconds: number;
}

export interface Measurement {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

export type LoadResult = { measurement: Measurement } | { error: string };

export const CHECK_SIZE = 1000;
export const BATCH_SIZE = 100;
export const PAGE_SIZE = 100;
export const FEED_PAGE_SIZE = 1000;
const DEEP_PAGE = 1000;

/** The number of records before page 1,000, or before the last page of a shorter list. */
export function recordsBeforeDeepPage(rows: number): number {
  return PAGE_SIZE * (Math.min(DEEP_PAGE, Math.floor(rows / PAGE_SIZE) - 1) - 1);
}

/** Prepares values before the measurement, and returns them in turns. */
export function inTurns<T>(make: (index: number) => T, count = 100): () => T {
  const values = Array.from({ length: count }, (_, index) => make(index));
  let next = 0;
  return () => values[next++ % count]!;
}
