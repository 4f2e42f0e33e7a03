export const GROUPINGS = ['origin', 'cause', 'domain', 'day', 'month'] as const;

export type Grouping = (typeof GROUPINGS)[number];

export interface CountedGroup {
  /** An origin, a cause, a domain, a day in UTC such as `2026-01-15`, or a month such as `2026-01`. */
  key: string;
  count: number;
}
