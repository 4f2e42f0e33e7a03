import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsIn, IsOptional, ValidateBy } from 'class-validator';
import { parseDomain } from '../../email-address/email-address.js';
import { LimitDto, PageDto, type Page } from '../../http/page.js';
import { IsParsed, Parse } from '../../http/parse.decorator.js';
import { Invalid } from '../../invalid.js';
import { ORIGINS, type Origin } from '../cause.js';
import { parseInstant, type Instant } from '../instant.js';
import { parseId } from '../suppression-ref.js';
import type { Suppression } from '../suppression.entity.js';
import { SuppressionDto } from './suppression.dto.js';

export class ListDto extends LimitDto {
  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    description: 'Read on behind this id: the older ones.',
  })
  @Expose()
  @Parse(parseId)
  @IsOptional()
  @IsParsed('isId', 'must be an id')
  after?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    description: 'Read back from this id: the newer ones. Not together with `after`.',
  })
  @Expose()
  @Parse(parseId)
  @IsOptional()
  @IsParsed('isId', 'must be an id')
  @ValidateBy({
    name: 'isAlone',
    validator: {
      validate: (_before, args) => (args?.object as ListDto).after === undefined,
      defaultMessage: () => 'must be left out where after is given',
    },
  })
  before?: string;

  @ApiPropertyOptional({ enum: ORIGINS, description: 'Only suppressions of this origin.' })
  @Expose()
  @IsOptional()
  @IsIn(ORIGINS, { message: `must be one of ${ORIGINS.join(', ')}` })
  origin?: Origin;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Only those made after this moment.',
  })
  @Expose()
  @Parse(parseInstant)
  @IsOptional()
  @IsParsed('isInstant', 'must be a moment')
  created_after?: Instant;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Only those made before this moment.',
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
  @Parse((value) =>
    typeof value === 'string' ? parseDomain(value.trim()) : new Invalid('must be one domain'),
  )
  @IsOptional()
  @IsParsed('isDomain', 'must be a domain')
  domain?: string;
}

/** A suppression in a list. */
export class ListedSuppressionDto extends OmitType(SuppressionDto, ['object'] as const) {}

export class ListPageDto extends PageDto {
  @ApiProperty({ description: 'Newest first.', type: [ListedSuppressionDto] })
  data: ListedSuppressionDto[];

  constructor({ elements, hasMore }: Page<Suppression>) {
    super(hasMore);
    this.data = elements.map((suppression) => {
      const { object: _object, ...listed } = new SuppressionDto(suppression);
      return listed;
    });
  }
}
