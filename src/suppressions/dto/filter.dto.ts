import { ApiPropertyOptional } from '@nestjs/swagger';
import { parseDomain } from '../../email-address/domain.js';
import { requireRange } from '../../http/require-range.js';
import {
  CAUSE_MEANINGS,
  CAUSES,
  ORIGIN_MEANINGS,
  ORIGINS,
  type Cause,
  type Origin,
} from '../../ledger/cause.js';
import { enumOf } from '../../validation/enum-of.js';
import { OptionalOneOf, OptionalParsed } from '../../validation/field.decorators.js';
import { Invalid } from '../../validation/invalid.js';
import { parseTimestamp, type Timestamp } from '../../validation/timestamp.js';
import type { SuppressionFilter } from '../suppression-filter.js';

export interface FilterFields {
  origin?: Origin;
  cause?: Cause;
  created_after?: Timestamp;
  created_before?: Timestamp;
  domain?: string;
}

/** Adds the fields of the filter to a query. */
export function withFilter<Query extends object>(query: new () => Query): new () => Query & FilterFields {
  class FilteredDto extends (query as new () => object) implements FilterFields {
    @ApiPropertyOptional(enumOf('Only suppressions with this origin.', ORIGIN_MEANINGS))
    @OptionalOneOf(ORIGINS)
    origin?: Origin;

    @ApiPropertyOptional(
      enumOf('Only suppressions with this cause, even if it is not their strongest.', CAUSE_MEANINGS),
    )
    @OptionalOneOf(CAUSES)
    cause?: Cause;

    @ApiPropertyOptional({
      type: String,
      format: 'date-time',
      description: 'Only suppressions created after this timestamp. A date means midnight UTC.',
    })
    @OptionalParsed(parseTimestamp)
    created_after?: Timestamp;

    @ApiPropertyOptional({
      type: String,
      format: 'date-time',
      description: 'Only suppressions created before this timestamp. A date means midnight UTC.',
    })
    @OptionalParsed(parseTimestamp)
    created_before?: Timestamp;

    @ApiPropertyOptional({
      type: String,
      description: 'Only addresses at this domain, in Unicode or ASCII form. Subdomains are not included.',
    })
    @OptionalParsed(parseDomainFilter)
    domain?: string;
  }
  return FilteredDto as new () => Query & FilterFields;
}

export class FilterDto extends withFilter(Object) {}

export const FILTER_NAMES = [
  'origin',
  'cause',
  'domain',
  'created_after',
  'created_before',
] as const satisfies (keyof FilterFields)[];

/** @throws {ValidationError} */
export function toFilter(given: FilterFields): SuppressionFilter {
  requireRange(given);
  const { origin, cause, domain, created_after, created_before } = given;
  return {
    origin,
    cause,
    domain,
    createdFrom: created_after && created_after.floor + 1,
    createdBefore: created_before?.ceil,
  };
}

function parseDomainFilter(input: unknown): string | Invalid {
  const domain = typeof input === 'string' ? parseDomain(input.trim()) : input;
  return typeof domain === 'string' ? domain : new Invalid('must be a domain, as in example.com');
}
