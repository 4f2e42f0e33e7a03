import { ApiProperty, ApiPropertyOptional, ApiSchema, OmitType } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import { parseDomain } from '../../email-address/email-address.js';
import type { WritesJson } from '../../http/response.js';
import { LimitDto, PageDto, type Page } from '../../http/page.js';
import { Invalid } from '../../validation/invalid.js';
import { IsParsed, NotWith, Parse } from '../../validation/parse.decorator.js';
import { ORIGINS, type Origin } from '../../ledger/cause.js';
import { parseInstant, type Instant } from '../../validation/timestamp.js';
import { parseId } from '../../validation/id.js';
import type { FoundSuppression } from '../suppression-lookup.js';
import { SuppressionDto } from './suppression.dto.js';

export class ListDto extends LimitDto {
  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    description: 'The page of older ones next to this id.',
  })
  @Expose()
  @Parse(parseId)
  @IsOptional()
  @IsParsed('isId', 'must be an id')
  after?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    description:
      'The page of newer ones next to this id; it is newest first, too. Not together with `after`. Two that are added in the same moment may appear in any order: to miss none, ask again from an id that is some seconds old.',
  })
  @Expose()
  @Parse(parseId)
  @IsOptional()
  @IsParsed('isId', 'must be an id')
  @NotWith('after')
  before?: string;

  @ApiPropertyOptional({ enum: ORIGINS, description: 'Only suppressions of this origin.' })
  @Expose()
  @IsOptional()
  @IsIn(ORIGINS, { message: `must be one of ${ORIGINS.join(', ')}` })
  origin?: Origin;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Only those made after this moment. A date alone is its midnight in UTC.',
  })
  @Expose()
  @Parse(parseInstant)
  @IsOptional()
  @IsParsed('isInstant', 'must be a moment')
  created_after?: Instant;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Only those made before this moment. A date alone is its midnight in UTC.',
  })
  @Expose()
  @Parse(parseInstant)
  @IsOptional()
  @IsParsed('isInstant', 'must be a moment')
  created_before?: Instant;

  @ApiPropertyOptional({
    type: String,
    description: 'Only addresses of this domain, in Unicode or in ASCII form, without its subdomains.',
  })
  @Expose()
  @Parse(parseDomainFilter)
  @IsOptional()
  @IsParsed('isDomain', 'must be a domain')
  domain?: string;
}

function parseDomainFilter(input: unknown): string | Invalid {
  const domain = typeof input === 'string' ? parseDomain(input.trim()) : input;
  return typeof domain === 'string' ? domain : new Invalid('must be a domain, as in example.com');
}

/** A suppression in a list. */
@ApiSchema({ name: 'ListedSuppression' })
export class ListedSuppressionDto extends OmitType(SuppressionDto, ['object'] as const) {}

@ApiSchema({ name: 'ListPage' })
export class ListPageDto extends PageDto implements WritesJson {
  @ApiProperty({ description: 'Newest first.', type: [ListedSuppressionDto] })
  data: ListedSuppressionDto[];

  constructor({ elements, hasMore }: Page<FoundSuppression>) {
    super(hasMore);
    this.data = elements.map((suppression) => {
      const { id, email, origin, source_id, created_at } = new SuppressionDto(suppression);
      return { id, email, origin, source_id, created_at };
    });
  }

  writeJson(): string {
    const data = this.data.map(writeListed);
    return `{"object":"${this.object}","has_more":${this.has_more},"data":[${data.join(',')}]}`;
  }
}

/** RFC 8259, section 7: control characters, the quotation mark and the backslash; of surrogates `JSON.stringify` knows more. */
const NEEDS_ESCAPING = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** Ids, origins and moments have nothing to escape. */
function writeListed({ id, email, origin, source_id, created_at }: ListedSuppressionDto): string {
  const address = NEEDS_ESCAPING.test(email) ? JSON.stringify(email) : `"${email}"`;
  const source = source_id === null ? 'null' : `"${source_id}"`;
  return `{"id":"${id}","email":${address},"origin":"${origin}","source_id":${source},"created_at":"${created_at}"}`;
}
