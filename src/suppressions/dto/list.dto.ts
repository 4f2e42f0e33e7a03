import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { parseDomain } from '../../email-address/domain.js';
import type { WritesJson } from '../../http/responses/response.js';
import { CursorDto, PageDto, type Page } from '../../http/page.js';
import { Invalid } from '../../validation/invalid.js';
import { RefuseFields } from '../../validation/refuse-fields.decorator.js';
import {
  CAUSE_MEANINGS,
  CAUSES,
  ORIGIN_MEANINGS,
  ORIGINS,
  type Cause,
  type Origin,
} from '../../ledger/cause.js';
import { parseTimestamp, type Timestamp } from '../../validation/timestamp.js';
import type { FoundSuppression } from '../suppression-lookup.js';
import type { ListFilter } from '../suppression-pages.js';
import { writeElements, writeSuppression } from './suppression-json.js';
import { SuppressionDto } from './suppression.dto.js';
import { enumOf } from '../../validation/enum-of.js';
import { OptionalOneOf, OptionalParsed } from '../../validation/field.decorators.js';

const LOOK_UP = 'is unknown: to look up one address, use GET /suppressions/:suppression';

@RefuseFields({ email: LOOK_UP, q: LOOK_UP })
export class ListDto extends CursorDto {
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

  toFilter(): ListFilter {
    const { after, before, origin, cause, domain, created_after, created_before } = this;
    return {
      after,
      before,
      origin,
      cause,
      domain,
      createdFrom: created_after && created_after.floor + 1,
      createdBefore: created_before?.ceil,
    };
  }
}

function parseDomainFilter(input: unknown): string | Invalid {
  const domain = typeof input === 'string' ? parseDomain(input.trim()) : input;
  return typeof domain === 'string' ? domain : new Invalid('must be a domain, as in example.com');
}

@ApiSchema({ name: 'ListPage' })
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

  /** `JSON.stringify` needs half as long again: see the part `list` of the benchmark. */
  writeJson(): string[] {
    const start = `{"object":"list","has_more":${this.has_more},"data":[`;
    return [start + writeElements(this.#elements, writeSuppression).join('') + ']}'];
  }
}
