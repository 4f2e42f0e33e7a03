import { masksOf, type CauseFilter } from '../ledger/cause.js';
import { HIGHEST_ID, LOWEST_ID, lowestIdAt } from '../validation/parsers.js';

/** Selects the suppressions to list, count, or export. */
export interface SuppressionFilter extends CauseFilter {
  domain?: string | undefined;
  /** Milliseconds since 1970. */
  createdFrom?: number | undefined;
  /** Milliseconds since 1970. */
  createdBefore?: number | undefined;
}

/** The lowest id of a record that may pass a filter, and the lowest id above all such records. */
export function idRangeOf({ createdFrom, createdBefore }: SuppressionFilter): {
  lowest: string;
  end: string;
} {
  return {
    lowest: createdFrom === undefined ? LOWEST_ID : lowestIdAt(createdFrom),
    end: createdBefore === undefined ? HIGHEST_ID : lowestIdAt(createdBefore),
  };
}

/** The parameters of {@link hasCauses} and {@link hasDomain}. */
export function filterParameters({
  cause,
  origin,
  domain,
}: SuppressionFilter): [masks: number[] | null, domain: string | null] {
  return [cause || origin ? masksOf({ cause, origin }) : null, domain ?? null];
}

/** SQL: whether the mask `causes` of a row passes the filter. */
export function hasCauses(parameter: string): string {
  return `(${parameter}::integer[] IS NULL OR causes = ANY (${parameter}))`;
}

/** SQL: whether the `email` of a row passes the filter. */
export function hasDomain(parameter: string): string {
  return `(${parameter}::text IS NULL OR split_part(email, '@', -1) = ${parameter})`;
}
