import { ApiPropertyOptional } from '@nestjs/swagger';
import { text, timestamp } from '../../http/properties.js';
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

export class FilterDto {
  @ApiPropertyOptional(enumOf('Only suppressions with this origin.', ORIGIN_MEANINGS))
  @OptionalOneOf(ORIGINS)
  origin?: Origin;

  @ApiPropertyOptional(
    enumOf('Only suppressions with this cause, even if it is not their strongest.', CAUSE_MEANINGS),
  )
  @OptionalOneOf(CAUSES)
  cause?: Cause;

  @ApiPropertyOptional(
    timestamp('Only suppressions created after this timestamp. A date means midnight UTC.'),
  )
  @OptionalParsed(parseTimestamp)
  created_after?: Timestamp;

  @ApiPropertyOptional(
    timestamp('Only suppressions created before this timestamp. A date means midnight UTC.'),
  )
  @OptionalParsed(parseTimestamp)
  created_before?: Timestamp;

  @ApiPropertyOptional(
    text('Only addresses at this domain, in Unicode or ASCII form. Subdomains are not included.'),
  )
  @OptionalParsed(parseDomainFilter)
  domain?: string;
}

export const FILTER_NAMES = [
  'origin',
  'cause',
  'domain',
  'created_after',
  'created_before',
] as const satisfies (keyof FilterDto)[];

/** @throws {ValidationError} */
export function toFilter(given: FilterDto): SuppressionFilter {
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
