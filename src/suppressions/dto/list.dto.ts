import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { parseDomain } from '../../email-address/email-address.js';
import { CursorDto, PageDto, type Page } from '../../http/page.js';
import { enumOf, text, timestamp } from '../../http/properties.js';
import { requireRange } from '../../http/require-range.js';
import type { WritesJson } from '../../http/responses/response.js';
import {
  CAUSE_MEANINGS,
  CAUSES,
  ORIGIN_MEANINGS,
  ORIGINS,
  type Cause,
  type Origin,
} from '../../ledger/cause.js';
import { OptionalOneOf, OptionalParsed } from '../../validation/field.decorators.js';
import { Invalid, parseTimestamp, type Timestamp } from '../../validation/parsers.js';
import { RefuseFields } from '../../validation/unknown-fields.js';
import type { SuppressionFilter } from '../suppression-filter.js';
import type { FoundSuppression } from '../suppression-lookup.js';
import type { ListFilter } from '../suppression-pages.js';
import { SuppressionDto, writeElements, writeSuppression } from './suppression.dto.js';

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

const LOOK_UP = 'is not a query parameter: to look up one address, use GET /suppressions/:suppression';

@RefuseFields({ email: LOOK_UP, q: LOOK_UP })
export class ListDto extends IntersectionType(CursorDto, FilterDto) {
  toFilter(): ListFilter {
    return { ...toFilter(this), after: this.after, before: this.before };
  }
}

export class ListPageDto extends PageDto implements WritesJson {
  readonly #elements: FoundSuppression[];

  constructor({ elements, hasMore }: Page<FoundSuppression>) {
    super(hasMore);
    this.#elements = elements;
  }

  @ApiProperty({ description: 'Newest first.', type: [SuppressionDto] })
  get data(): SuppressionDto[] {
    return this.#elements.map((suppression) => new SuppressionDto(suppression));
  }

  /** `JSON.stringify` takes half as long again: see the part `list` of the benchmark. */
  writeJson(): string[] {
    const start = `{"object":"list","has_more":${this.has_more},"data":[`;
    return [start + writeElements(this.#elements, writeSuppression).join('') + ']}'];
  }
}
