import type { Cause, Origin } from '../ledger/cause.js';

export const GROUPINGS = ['origin', 'cause', 'domain', 'day', 'month'] as const;

export type Grouping = (typeof GROUPINGS)[number];

export interface CountFilter {
  origin?: Origin;
  /** Any cause of the record, not only the strongest. */
  cause?: Cause;
  domain?: string;
  /** Milliseconds since 1970. */
  createdFrom?: number;
  /** Milliseconds since 1970. */
  createdBefore?: number;
}

export interface CountedGroup {
  /** An origin, a cause, a domain, a day in UTC such as `2026-01-15`, or a month such as `2026-01`. */
  key: string;
  count: number;
}
